"""Walls: each one that a probe claims does hold, and a missing one is said."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from agentkernel.errors import SandboxError
from agentkernel.simulator import processes
from agentkernel.simulator.sandbox import Jail, Limits, Walls, reachable, working_bubblewrap


@pytest.fixture
def machine(simulator):
    return simulator._workshop.prepare()


def jail(machine, tmp_path, **changes):
    runtime, walls = machine
    limits = {"wall_seconds": 20, "cpu_seconds": 10, "memory_bytes": 8 << 30, "file_bytes": 1 << 20, "open_files": 64}
    fields = {
        "runtime": runtime,
        "walls": walls,
        "limits": Limits(**limits | changes.pop("limits", {})),
        "folder": tmp_path,
        "writable": (tmp_path,),
        "may_fork": True,
    }
    tmp_path.chmod(0o777)
    for folder in tmp_path.parents[:2]:
        folder.chmod(0o755)
    return Jail(**fields | changes)


def shell(inside: Jail, command: str) -> processes.Finished:
    return inside.run(["/bin/sh", "-c", f"({command}) >&2"], env={"PATH": "/usr/bin:/bin"})


def test_walls_that_are_expected_on_any_linux(machine):
    assert machine[1].seccomp
    assert {"rlimits", "session", "empty-environment", "seccomp"} <= set(machine[1].names)


def test_a_program_runs_and_sees_only_the_environment_it_is_given(machine, tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "42")
    done = shell(jail(machine, tmp_path), "echo hello $SECRET; pwd")
    assert done.returncode == 0
    assert done.output.splitlines() == ["hello", str(tmp_path)]


def test_files_outside_its_folders_cannot_be_read(machine, tmp_path):
    assert machine[1].landlock, "this machine's kernel has Landlock"
    done = shell(jail(machine, tmp_path), "cat /etc/passwd; ls /home; cat /proc/1/environ")
    assert "root:" not in done.output
    assert done.output.lower().count("denied") >= 2


def test_files_outside_its_folders_cannot_be_written(machine, tmp_path):
    target = Path("/dev/shm") / f"akjail-test-{os.getpid()}"
    done = shell(jail(machine, tmp_path), f"echo x > {target}; echo y > {tmp_path}/own; cat {tmp_path}/own")
    assert not target.exists()
    assert done.output.splitlines()[-1] == "y"


def test_the_network_is_closed(machine, tmp_path):
    inside = jail(machine, tmp_path)
    done = inside.run(["/bin/bash", "-c", "echo > /dev/tcp/127.0.0.1/9"], env={})
    assert done.returncode != 0 and "not permitted" in done.output


def test_forking_is_forbidden_where_it_is_not_needed(machine, tmp_path):
    done = shell(jail(machine, tmp_path, may_fork=False), "true; /bin/true; echo after")
    assert "after" not in done.output and "fork" in done.output.lower()


def test_a_fork_bomb_ends_with_its_session(machine, tmp_path):
    inside = jail(machine, tmp_path, limits={"processes": 40, "wall_seconds": 2, "cpu_seconds": 2})
    done = shell(inside, "bomb() { bomb | bomb & }; bomb; sleep 30")
    assert done.timed_out or done.returncode != 0
    deadline = time.monotonic() + 10
    while _processes_of(inside) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _processes_of(inside) == []


def _processes_of(inside: Jail) -> list[str]:
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and b"bomb" in (folder / "cmdline").read_bytes():
                found.append(folder.name)
        except OSError:
            continue
    return found


def test_memory_processor_and_file_limits(machine, tmp_path):
    limits = {"cpu_seconds": 1, "file_bytes": 4096, "memory_bytes": 1 << 30}
    inside = jail(machine, tmp_path, limits=limits)
    assert shell(inside, "while :; do :; done").returncode != 0
    shell(inside, f"head -c 100000 /dev/zero > {tmp_path}/big; true")
    assert not (tmp_path / "big").exists() or (tmp_path / "big").stat().st_size <= 4096
    assert shell(inside, "ulimit -v").output.strip() == str((1 << 30) // 1024)


def test_a_wall_that_cannot_be_set_up_keeps_the_program_from_starting(machine, tmp_path):
    inside = jail(machine, tmp_path, folder=tmp_path / "missing")
    with pytest.raises(SandboxError, match="could not be set up"):
        shell(inside, "echo started")


def test_without_a_filter_candidates_are_not_run_unless_asked_for():
    with pytest.raises(SandboxError, match="seccomp"):
        Walls(seccomp=False).require()
    Walls(seccomp=False).require(insecure=True)
    Walls(seccomp=True).require()


def test_walls_are_named():
    walls = Walls(seccomp=True, landlock=5, user=60600)
    assert walls.names == (
        "rlimits", "session", "empty-environment", "seccomp", "landlock-5", "unprivileged-user",
    )  # fmt: skip


def test_bubblewrap_takes_over_the_file_system_where_landlock_is_missing(machine, tmp_path):
    """The command is checked anywhere; whether it holds, where bwrap is installed."""
    runtime, walls = machine
    bwrap = working_bubblewrap()
    without = walls.model_copy(update={"landlock": 0, "bubblewrap": bwrap or "/usr/bin/bwrap", "user": None})
    inside = jail((runtime, without), tmp_path)
    command = inside.command(["/bin/true"])
    assert command[0].endswith("bwrap") and "--unshare-net" in command and "--landlock" not in command
    if bwrap:
        done = shell(inside, f"cat /etc/passwd; echo y > {tmp_path}/own; cat {tmp_path}/own")
        assert "root:" not in done.output and done.output.splitlines()[-1] == "y"


def test_reachable(tmp_path):
    inner = tmp_path / "a"
    inner.mkdir(mode=0o700)
    (inner / "f").write_text("x")
    assert not reachable(inner / "f")


def test_processes_are_killed_on_the_way_out(tmp_path):
    done = processes.run(["/bin/sh", "-c", "sleep 60 & echo $! >&2; wait"], timeout=0.5)
    assert done.timed_out and done.returncode == -9
    deadline = time.monotonic() + 10
    pid = int(done.output)
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text()


def test_output_is_bounded():
    done = processes.run(["/bin/sh", "-c", "head -c 3000000 /dev/zero >&2"], timeout=30)
    assert done.truncated and len(done.output) <= processes.OUTPUT_LIMIT
