"""The composer's kernels compile, pass and have no hazard on the simulator; `composer.proof` does all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentkernel.bench.suites import suite
from agentkernel.composer import compose
from agentkernel.composer.proof import prove
from agentkernel.task import Reference, Task
from agentkernel.toolchains.simulator import SimulatorToolchain
from agentkernel.verify import verify

TASKS = {task.name: task for name in ("core", Path(__file__).parent / "suite") for task in suite(name)}

# every kind of kernel: flat, rows in every walk, masks, integers, outputs, static, rows of two dimensions
CHOSEN = (
    "add-bfloat16", "silu-float32", "not-equal-mask-float16", "quantize-int8-float16", "bit-merge-int16",
    "softmax-float16", "layer-norm-float32", "mean-variance-float32", "softmax-static-float32", "gelu-float32",
    "int32-where", "two-outputs-float16", "compared-rows-float32", "channels",
)  # fmt: skip


@pytest.fixture(scope="module")
def toolchain() -> Iterator[SimulatorToolchain]:
    with SimulatorToolchain() as tools:
        yield tools


def small(task: Task) -> Task:
    """The task without its large cases."""
    kept = tuple(case for case in task.cases if not case.name.startswith(("large", "many", "long", "very")))
    return task.model_copy(update={"cases": kept or task.cases})


@pytest.mark.parametrize("name", CHOSEN)
def test_kernels_pass_without_a_hazard(name: str, toolchain: SimulatorToolchain) -> None:
    (row,) = prove([small(TASKS[name])], 2, toolchain)
    assert row.findings == ()
    assert row.kernels == row.distinct == row.compiled == row.passed == 2


def test_a_refused_task_is_a_row_with_its_reason(toolchain: SimulatorToolchain) -> None:
    (row,) = prove([TASKS["argmax-float32"]], 1, toolchain)
    assert "Python source" in row.refusal and row.kernels == 0


def test_a_kernel_of_another_operator_does_not_pass(toolchain: SimulatorToolchain) -> None:
    task = small(TASKS["relu-float32"])
    other = task.model_copy(update={"reference": Reference(formula="y = relu(x) + 1")})
    verdict = verify(compose(task).kernel, other, toolchain)
    assert verdict.compiled and not verdict.passed
