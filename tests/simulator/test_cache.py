"""The compiler cache, with a compiler that only pretends (the real one is under test wherever kernels are built)."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agentkernel.cancel import in_thread
from agentkernel.errors import ToolchainError
from agentkernel.simulator import cache
from agentkernel.simulator.cache import SOURCES, cache_folder, open_runtime, reads
from agentkernel.simulator.compiler import Compiler

FAKE = """\
#!/bin/sh
# writes its arguments to what -o names, and a line to its log
echo "$*" >> {log}
{extra}
while [ $# -gt 0 ]; do
  if [ "$1" = "-o" ]; then echo "$@" > "$2"; fi
  shift
done
"""


CALLS = 6
"""Two units, precompiled header, the place of the C++ library, jail, link."""


class Bench:
    """A source tree, a cache folder and a fake compiler that logs its calls."""

    def __init__(self, folder: Path) -> None:
        self._place(folder)
        for name in ("runtime/a.cpp", "runtime/b.cpp", "runtime/b.h", "include/kernel_operator.h", "jail/akjail.cpp"):
            path = self.sources / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"// {name}\n")
        self.compiler_says("")

    def _place(self, folder: Path) -> None:
        self.sources, self.root, self.log = folder / "sources", folder / "cache", folder / "log"
        self.program = folder / "c++"

    @classmethod
    def existing(cls, folder: Path) -> Bench:
        bench = cls.__new__(cls)
        bench._place(folder)
        return bench

    def compiler_says(self, extra: str) -> None:
        self.program.write_text(FAKE.format(log=self.log, extra=extra))
        self.program.chmod(0o755)

    def open(self, tell=None, **changes):
        fields = {"command": (str(self.program),), "kind": "gcc", "version": "12.0.0", "target": "t", "cpu": "c"}
        return open_runtime(Compiler(**(fields | changes)), root=self.root, sources=self.sources, tell=tell)

    def calls(self) -> int:
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def test_built_once_then_taken_from_the_folder(bench):
    first = bench.open()
    assert all(path.exists() for path in (first.akrun, first.akjail, first.prelude, first.guard, first.exports))
    assert bench.calls() == CALLS
    assert bench.open() == first
    assert bench.calls() == CALLS


def test_a_changed_source_rebuilds_only_its_own_object(bench):
    first = bench.open()
    (bench.sources / "runtime/a.cpp").write_text("// changed\n")
    second = bench.open()
    assert second.folder != first.folder
    assert bench.calls() == 2 * CALLS - 1  # b.o is kept


def test_a_changed_header_rebuilds_its_readers(bench):
    (bench.sources / "runtime/b.cpp").write_text('#include "b.h"\n')
    (bench.sources / "runtime/b.h").write_text('# include "akrt/c.h"\n')
    (bench.sources / "include/akrt").mkdir()
    (bench.sources / "include/akrt/c.h").write_text('#include "d.h"\n')
    for name in ("runtime/b.h", "include/akrt/d.h"):
        bench.open()
        before = bench.calls()
        (bench.sources / name).write_text('#include "akrt/c.h"  // changed\n')
        bench.open()
        assert bench.calls() == before + CALLS - 1, name  # a.o is kept
    (bench.sources / "include/kernel_operator.h").write_text("// changed\n")
    bench.open()
    assert bench.calls() == before + 2 * (CALLS - 1) - 1  # no unit reads it


def test_no_header_that_a_compiler_reads_is_missed():
    texts = {
        path.relative_to(SOURCES).as_posix(): path.read_text(encoding="utf-8")
        for folder in ("runtime", "include")
        for path in sorted((SOURCES / folder).rglob("*"))
        if path.suffix in {".h", ".cpp"}
    }
    folders = ["-I", "include", "-I", "runtime"]
    for unit in sorted(texts):
        if unit.startswith("runtime/") and unit.endswith(".cpp"):
            command = ["g++", "-std=c++20", "-MM", *folders, unit]
            rule = subprocess.run(command, cwd=SOURCES, capture_output=True, text=True, check=True).stdout
            found = {os.path.normpath(name) for name in rule.replace("\\\n", " ").split()[1:]}
            assert found <= set(reads(unit, texts)), unit


@pytest.mark.parametrize("change", [{"version": "13.0.0"}, {"cpu": "other"}, {"kind": "clang"}])
def test_another_compiler_has_its_own_entry(bench, change):
    assert bench.open().folder != bench.open(**change).folder


@pytest.mark.parametrize("name", ["akrun", "akjail", "src/prelude.h.gch", "ready.json"])
@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_entry_is_built_anew(bench, name, damage):
    folder = bench.open().folder
    path = folder / name
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    if damage == "gone":
        path.unlink()
    before = bench.calls()
    bench.open()
    assert bench.calls() > before
    assert len(path.read_bytes()) == len(whole)


def test_an_entry_without_its_last_mark_is_not_trusted(bench):
    folder = bench.open().folder
    (folder / "ready.json").unlink()
    (folder / "akrun").write_text("half")
    assert bench.open().akrun.read_text() != "half"


def test_our_own_sources_failing_is_no_fault_of_a_candidate(bench):
    bench.compiler_says("echo 'a.cpp:1:1: error: no such thing'; exit 1")
    with pytest.raises(ToolchainError, match="no such thing") as raised:
        bench.open()
    assert "CXX" in raised.value.hint


def test_a_full_disk_is_named(bench):
    bench.compiler_says("echo 'ld: final link failed: No space left on device'; exit 1")
    with pytest.raises(ToolchainError, match="No space left") as raised:
        bench.open()
    assert "AGENTKERNEL_CACHE" in raised.value.hint


def test_a_folder_that_cannot_be_written_is_named(bench):
    bench.root.write_text("a file stands here")
    with pytest.raises(ToolchainError, match="cannot write the compiler cache"):
        bench.open()


def test_a_read_only_folder_that_holds_the_entry_serves(bench, monkeypatch):
    bench.open()

    def refuse(*_args, **_kwargs):
        raise PermissionError("read-only file system")

    monkeypatch.setattr(os, "utime", refuse)
    monkeypatch.setattr(cache.Path, "mkdir", refuse)
    assert bench.open().akrun.exists()


PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
from tests.simulator.test_cache import Bench
print(Bench.existing(Path(sys.argv[1])).open().folder)
"""


def start(tmp_path: Path) -> subprocess.Popen[str]:
    program = PROGRAM.format(root=str(Path(__file__).parents[2]))
    return subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_two_processes_build_one_entry_once(bench, tmp_path):
    bench.compiler_says("sleep 0.3")
    both = [start(tmp_path), start(tmp_path)]
    folders = {process.communicate(timeout=60)[0] for process in both}
    assert len(folders) == 1
    assert bench.calls() == CALLS


def test_what_takes_long_is_said_before_and_only_then(bench):
    told = []
    bench.open(told.append)
    bench.open(told.append)
    assert len(told) == 1 and "building the simulator with gcc 12.0.0" in told[0]


async def test_a_build_or_a_wait_for_one_that_nobody_wants_any_more_ends(bench, tmp_path):
    bench.compiler_says(f"echo $$ >> {tmp_path / 'pids'}; exec sleep 60")
    told = []
    calls = [asyncio.create_task(in_thread(lambda: bench.open(told.append))) for _ in range(2)]
    while len(told) < 2 or not (tmp_path / "pids").exists():
        await asyncio.sleep(0.02)
    assert sum("another process" in line for line in told) == 1
    for call in calls:
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    await asyncio.get_running_loop().shutdown_default_executor()  # as `asyncio.run` does: it waits for the threads
    for pid in (tmp_path / "pids").read_text().split():
        assert not Path(f"/proc/{pid}").exists()


def test_ctrl_c_ends_the_compilers_and_leaves_nothing_that_looks_finished(bench, tmp_path):
    bench.compiler_says(f"echo $$ >> {tmp_path / 'pids'}; exec sleep 60")
    process = start(tmp_path)
    deadline = time.monotonic() + 60
    while not (tmp_path / "pids").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode != 0 and "KeyboardInterrupt" in errors
    for pid in (tmp_path / "pids").read_text().split():
        assert not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split()[2]
    assert not list(bench.root.glob("*/ready.json"))
    bench.compiler_says("")
    assert bench.open().akrun.exists()


def test_entries_that_nobody_uses_are_removed(bench):
    old = bench.open(version="1.0.0").folder
    week = time.time() - 8 * 86400
    os.utime(old / "ready.json", (week, week))
    kept = bench.open(version="2.0.0").folder
    assert not old.exists() and kept.exists()


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"AGENTKERNEL_CACHE": "/a/b", "XDG_CACHE_HOME": "/x"}, "/a/b"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/agentkernel"),
        ({"HOME": "/h"}, "/h/.cache/agentkernel"),
    ],
)
def test_where_the_cache_is(monkeypatch, variables, expected):
    for name in ("AGENTKERNEL_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == Path(expected)
