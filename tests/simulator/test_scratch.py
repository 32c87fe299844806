"""Scratch folders: gone with their object, swept after a killed process, never taken from a living one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from agentkernel.shared_arrays import memory_base
from agentkernel.simulator.scratch import LOCK, PREFIX, Scratch, sweep

OLD = time.time() - 3600


def age(path):
    os.utime(path, (OLD, OLD))


def test_it_goes_with_close_and_with_its_object(tmp_path):
    first, second = Scratch(tmp_path), Scratch(tmp_path)
    (first.path / "a").write_text("x")
    first.close()
    first.close()
    assert not first.path.exists() and second.path.exists()
    path = second.path
    del second
    assert not path.exists()


def test_it_stays_where_asked_to(tmp_path):
    kept = Scratch(tmp_path, keep=True)
    kept.close()
    assert kept.path.exists()


def test_what_a_killed_process_left_is_swept(tmp_path):
    program = "import sys, time; from pathlib import Path; from agentkernel.simulator.scratch import Scratch\n"
    program += "s = Scratch(Path(sys.argv[1])); print(s.path, flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    left = tmp_path / os.path.basename(process.stdout.readline().strip())
    age(left)
    sweep(tmp_path)
    assert left.exists()  # its owner lives
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    Scratch(tmp_path).close()
    assert not left.exists()


def test_what_is_young_or_not_ours_is_left_alone(tmp_path):
    young, foreign = tmp_path / f"{PREFIX}young", tmp_path / f"{PREFIX}foreign"
    young.mkdir()
    (young / LOCK).touch()
    foreign.mkdir()
    age(foreign)
    sweep(tmp_path)
    assert young.exists() and foreign.exists()


def test_memory_is_used_where_it_is_there():
    base = memory_base()
    assert base is None or os.access(base, os.W_OK)
