"""The runtime core, tested in C++: pipe queues, hazards, TPipe, checker, clock (tests/simulator/runtime/*_test.cpp)."""

import re
import subprocess
from pathlib import Path

import pytest

from .cpp_build import build, core_sources

HERE = Path(__file__).parent / "runtime"
CASES = [
    pytest.param(case, id=f"{path.stem.removesuffix('_test')}-{case}")
    for path in sorted(HERE.glob("*_test.cpp"))
    for case in re.findall(r"^TEST\((\w+)\)", path.read_text(), re.MULTILINE)
]


@pytest.fixture(scope="session")
def program() -> Path:
    return build("core-tests", [*core_sources(), *sorted(HERE.glob("*.cpp"))])


@pytest.mark.parametrize("case", CASES)
def test_case(program: Path, case: str) -> None:
    done = subprocess.run([program, case], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def test_every_case_is_listed(program: Path) -> None:
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split()
    assert sorted(listed) == sorted(str(p.values[0]) for p in CASES)
