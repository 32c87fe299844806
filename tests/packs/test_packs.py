"""Every kernel of the packs gives what its file says: the finding and its line, or no error and the right values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentkernel.testing.packs import PackKernel, load, run
from agentkernel.testing.packs.report import COMMAND, document
from agentkernel.toolchains.simulator import SimulatorToolchain

HERE = Path(__file__).parent
WRONG = load(HERE / "wrong")
LEGAL = load(HERE / "legal")
DOCUMENT = HERE.parents[1] / "docs" / "packs.md"


@pytest.fixture(scope="module")
def toolchain() -> Iterator[SimulatorToolchain]:
    simulator = SimulatorToolchain()
    yield simulator
    simulator.close()


@pytest.mark.parametrize("kernel", WRONG, ids=lambda kernel: kernel.name)
def test_wrong_kernel_is_found_out_at_its_line(kernel: PackKernel, toolchain: SimulatorToolchain) -> None:
    outcome = run(kernel, toolchain)
    assert outcome.held, str(outcome)


@pytest.mark.parametrize("kernel", LEGAL, ids=lambda kernel: kernel.name)
def test_legal_kernel_gives_no_error_and_the_right_values(kernel: PackKernel, toolchain: SimulatorToolchain) -> None:
    outcome = run(kernel, toolchain)
    assert outcome.held, str(outcome)


def test_wrong_kernels_expect_a_finding_and_legal_ones_values() -> None:
    assert len(WRONG) >= 120
    assert len(LEGAL) >= 120
    assert [kernel.name for kernel in WRONG if not kernel.expected] == []
    assert [kernel.name for kernel in LEGAL if kernel.expected or not all(t.values for t in kernel.outputs)] == []
    assert [kernel.name for kernel in (*WRONG, *LEGAL) if not kernel.fact] == []


def test_the_document_lists_every_kernel_as_held() -> None:
    current = document([(kernel, True) for kernel in WRONG], [(kernel, True) for kernel in LEGAL])
    assert DOCUMENT.read_text(encoding="utf-8") == current, f"run `{COMMAND}`"
