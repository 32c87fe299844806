"""Hostile kernels: each is contained and named, none passes, and none reads as a failure of the machine.

Every file of `kernels/` says in its first line which codes its verdict may hold; `passed` where the trick does nothing.
A new idea is a new file. The API oracle, which would turn many of them away before anything is compiled, is left out:
the walls must hold without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentkernel.kernel import Kernel
from agentkernel.render import findings_of
from agentkernel.toolchains.simulator import SimulatorToolchain
from agentkernel.verify import verify
from tests.simulator.support import task

KERNELS = Path(__file__).parent / "kernels"
HEADERS = {path.name: path.read_text() for path in sorted(KERNELS.glob("*.h"))}
MARKER = Path("/dev/shm/agentkernel-evil")


@pytest.fixture(scope="module")
def hasty() -> Iterator[SimulatorToolchain]:
    """A simulator whose cases have two seconds of processor time."""
    with SimulatorToolchain(timeout=8.0) as toolchain:
        yield toolchain


@pytest.mark.parametrize("path", sorted(KERNELS.glob("*.cpp")), ids=lambda path: path.stem)
def test_a_hostile_kernel_is_contained_and_named(hasty: SimulatorToolchain, path: Path) -> None:
    text = path.read_text()
    expected = set(text.splitlines()[0].removeprefix("// expect: ").split())
    files = {name: header for name, header in HEADERS.items() if f'"{name}"' in text or name == "honest.h"}
    texts = {"kernel.cpp": text} | files
    kernel = Kernel.from_mapping({f"op_kernel/{name}": content for name, content in texts.items()}, "kernel")
    verdict = verify(kernel, task(), hasty, check=False)
    codes = {finding.diagnostic.code for finding in findings_of(verdict) if finding.diagnostic.is_error}
    if verdict.passed:
        assert "passed" in expected
    else:
        assert codes & expected, codes
    assert not MARKER.exists()
