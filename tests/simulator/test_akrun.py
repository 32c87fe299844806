"""The runner process: mapping of arguments, records, and what a broken or hostile candidate meets."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .cpp_build import RUNTIME, SIMULATOR, build, core_sources

HERE = Path(__file__).parent
CHIP = json.loads((SIMULATOR / "chips" / "ascend910b.json").read_text())
POISON = np.frombuffer(b"\xab\xff", np.uint8)


@pytest.fixture(scope="session")
def akrun() -> Path:
    return build("akrun", [*core_sources(), RUNTIME / "main.cpp"], link=["-rdynamic"])


@pytest.fixture(scope="session")
def candidate(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("candidates")

    def compiled(name: str) -> Path:
        target = folder / f"{name}.so"
        if not target.exists():
            command = ["g++", "-std=c++20", "-O1", "-fno-stack-protector", "-fPIC", "-shared", f"-I{SIMULATOR}/include"]
            subprocess.run([*command, str(HERE / f"{name}.cpp"), "-o", str(target)], check=True)
        return target

    return compiled


def buffer_file(path: Path, data: bytes) -> Path:
    """Writes a buffer as the protocol wants it: from offset (-ceil512(bytes)) mod 4096 on."""
    used = -(-len(data) // 512) * 512
    path.write_bytes(bytes(-used % 4096) + data + bytes(used - len(data)))
    return path


def contents(path: Path, size: int) -> bytes:
    used = -(-size // 512) * 512
    start = -used % 4096
    return path.read_bytes()[start : start + size]


class Case:
    """One launch: x (input, int32 0..n-1), y (output, poisoned) in a folder of its own."""

    def __init__(self, akrun: Path, folder: Path, count: int = 64) -> None:
        self.akrun = akrun
        self.folder = folder
        self.size = 4 * count
        self.x = buffer_file(folder / "x", np.arange(count, dtype=np.int32).tobytes())
        self.y = buffer_file(folder / "y", np.resize(POISON, self.size).tobytes())
        self.lines = [
            f"gm\tx\tin\t{self.size}\t{self.x}",
            f"gm\ty\tout\t{self.size}\t{self.y}",
            f"records\t{folder / 'records'}",
            "cores\t48",
        ]
        self.lines += [f"param\t{name}\t{entry['value']}" for name, entry in CHIP["params"].items()]

    def run(self, candidate: Path, launcher: str, *more: str) -> subprocess.CompletedProcess[str]:
        launch = self.folder / "launch"
        launch.write_text("\n".join([f"object\t{candidate}", f"launcher\t{launcher}", *self.lines, *more]) + "\n")
        return subprocess.run([self.akrun, launch], capture_output=True, text=True, check=False, timeout=30)

    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "records").read_text().splitlines()]

    def only_finding(self) -> dict[str, Any]:
        finding, end = (record for record in self.records() if record["t"] != "start")
        assert end["t"] == "end"
        assert end["completed"] is False
        return finding


@pytest.fixture
def case(akrun: Path, tmp_path: Path) -> Case:
    return Case(akrun, tmp_path)


def test_blocks_run_and_outputs_come_back(case: Case, candidate: Callable[[str], Path]) -> None:
    done = case.run(candidate("candidate"), "good", "blocks\t4")
    assert (done.returncode, done.stderr) == (0, "")
    y = np.frombuffer(contents(case.y, case.size), np.int32)
    assert y[::16].tolist() == [1, 17, 33, 49]
    start, unwritten, clock, end = case.records()
    assert start == {"t": "start"}
    assert unwritten == {"t": "unwritten", "name": "y", "elements_bytes": case.size - 16}
    assert clock["t"] == "clock"
    assert clock["kernel_us"] > CHIP["params"]["launch_us"]["value"]
    assert end["completed"] is True


@pytest.mark.parametrize("count", [1, 127, 128, 1000, 1024, 5000])
def test_buffers_of_any_size_map(akrun: Path, tmp_path: Path, candidate: Callable[[str], Path], count: int) -> None:
    case = Case(akrun, tmp_path, count)
    assert case.run(candidate("candidate"), "good").returncode == 0
    assert np.frombuffer(contents(case.y, case.size), np.int32)[0] == 1


def test_empty_arguments_and_workspace_map(case: Case, candidate: Callable[[str], Path]) -> None:
    (case.folder / "e").write_bytes(b"")
    done = case.run(
        candidate("candidate"), "good", f"gm\te\tin\t0\t{case.folder / 'e'}", "gm\tw\tworkspace\t1048576\t-"
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_timeline_is_json(case: Case, candidate: Callable[[str], Path]) -> None:
    timeline = case.folder / "timeline"
    case.run(candidate("candidate"), "good", f"timeline\t{timeline}")
    names = [event["name"] for event in json.loads(timeline.read_text())["traceEvents"]]
    assert names[:2] == ["start of the block", "GetValue"]


@pytest.mark.parametrize(
    ("launcher", "code", "text"),
    [
        ("writes_input", "gm-read-only", "raw pointer to x"),
        ("far_past_output", "gm-out-of-bounds", "byte 8192 of y, which has 256 bytes"),
        ("far_before_output", "gm-out-of-bounds", "byte -4096 of y"),
        ("null_pointer", "crash", "null pointer"),
        ("wild_pointer", "crash", "none of its memories"),
        ("recurses", "stack-overflow", "stack"),
        ("traps", "crash", "illegal instruction"),
        ("never_ends", "time-limit", "processor time"),
        ("crashes_in_runtime", "gm-out-of-bounds", "belongs to no kernel argument"),
        ("bad_size", "illegal-argument", "64"),
        ("bad_event", "illegal-argument", "200"),
        ("deadlocks", "deadlock", "HardEvent::V_S id 0"),
        ("forks", "forbidden-syscall", "clone"),
        ("executes", "forbidden-syscall", "execve"),
        ("opens_socket", "forbidden-syscall", "socket"),
        ("opens_file", "forbidden-syscall", "openat"),
        ("kills_parent", "forbidden-syscall", "kill"),
        ("maps_file", "forbidden-syscall", "mmap"),
        ("makes_code", "forbidden-syscall", "mprotect"),
    ],
)
def test_broken_candidate_is_classified(
    case: Case, candidate: Callable[[str], Path], launcher: str, code: str, text: str
) -> None:
    done = case.run(candidate("candidate"), launcher, "limit\tcpu_seconds\t1")
    assert (done.returncode, done.stderr) == (0, "")
    finding = case.only_finding()
    assert (finding["code"], finding["gravity"]) == (code, "fatal")
    assert text in finding["message"]
    assert finding["site"] > 0


def test_a_division_by_zero_is_noted_and_gone_past(case: Case, candidate: Callable[[str], Path]) -> None:
    done = case.run(candidate("candidate"), "divides_by_zero")
    assert (done.returncode, done.stderr) == (0, "")
    finding = next(f for f in case.records() if f["t"] == "finding" and f["code"] == "division-by-zero")
    assert finding["gravity"] == "note"
    assert case.records()[-1]["completed"] is True


def test_site_is_an_offset_into_the_object(case: Case, candidate: Callable[[str], Path]) -> None:
    case.run(candidate("candidate"), "null_pointer")
    site = case.only_finding()["site"]
    symbols = subprocess.run(["nm", "-S", candidate("candidate")], capture_output=True, text=True, check=True).stdout
    start, size = next(
        map(lambda w: int(w, 16), line.split()[:2]) for line in symbols.splitlines() if "null_pointer" in line
    )
    assert start <= site < start + size


def test_object_cannot_act_while_it_is_loaded(case: Case, candidate: Callable[[str], Path]) -> None:
    done = case.run(candidate("initialiser"), "good")
    assert done.returncode == 0
    assert case.only_finding()["code"] == "forbidden-syscall"


def test_instruction_limit_is_kept(case: Case, candidate: Callable[[str], Path]) -> None:
    case.run(candidate("candidate"), "good", "blocks\t4", "limit\tinstructions\t3")
    assert case.only_finding()["code"] == "instruction-limit"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("colour\tblue", "unknown directive 'colour'"),
        ("blocks\t0", "'0' is not within 1 and 65535"),
        ("blocks\tmany", "launch:"),
        ("gm\tz\tinward\t4\t/nowhere", "unknown role 'inward'"),
        ("gm\tz\tin\t4\t/nowhere", "argument z: cannot open"),
        ("gm\tz\tin\t4\t/dev/null", "fewer than offset 3584 plus 4"),
        ("launcher\tabsent", "absent"),
        ("object\t/nowhere.so", "/nowhere.so"),
        ("limit\tcolours\t3", "unknown limit 'colours'"),
    ],
)
def test_bad_launch_file_is_the_runners_failure(
    case: Case, candidate: Callable[[str], Path], line: str, text: str
) -> None:
    done = case.run(candidate("candidate"), "good", line)
    assert done.returncode == 70
    assert text in done.stderr
    assert done.stderr.count("\n") == 1


def test_missing_chip_parameter_is_named(case: Case, candidate: Callable[[str], Path]) -> None:
    case.lines = [line for line in case.lines if "ub_bytes" not in line]
    done = case.run(candidate("candidate"), "good")
    assert done.returncode == 70
    assert "chip parameter 'ub_bytes' is missing" in done.stderr


def test_every_chip_parameter_says_its_unit_and_source() -> None:
    for name, entry in CHIP["params"].items():
        assert set(entry) == {"value", "unit", "source"}, name
        assert entry["source"], name
