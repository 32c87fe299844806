"""Lists, optional tensors and updates in place, judged as whole operators and as kernels alone."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentkernel.bench.suites import load_task
from agentkernel.composer import Refusal, compose
from agentkernel.errors import ToolchainError
from agentkernel.kernel import Kernel
from agentkernel.task import Path as TaskPath
from agentkernel.task import Task
from agentkernel.toolchains.cann import _require_single_tensors
from agentkernel.toolchains.simulator import SimulatorToolchain
from agentkernel.verdict import Verdict
from agentkernel.verify import verify

ANSWERS = Path(__file__).parent.parent / "bench" / "answers"
NAMES = ["scale-list-operator", "momentum-operator", "rms-norm-optional-operator"]
Judge = Callable[[Kernel, Task], Verdict]


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with SimulatorToolchain() as toolchain:
        yield lambda kernel, task: verify(kernel, task, toolchain=toolchain)


def answer(name: str, *changes: tuple[str, str]) -> tuple[Task, Kernel]:
    """A shipped task with its answer; texts of it are replaced wherever they stand."""
    task = load_task(name)
    kernel = Kernel.from_path(ANSWERS / task.entry, task.entry)
    files = dict(kernel.files)
    for old, new in changes:
        assert any(old in text for text in files.values()), old
        files = {path: text.replace(old, new) for path, text in files.items()}
    return task, Kernel(files=files, entry=task.entry)


def on_the_device(name: str, *changes: tuple[str, str]) -> tuple[Task, Kernel]:
    """The same as a task for the kernel alone, and the answer's kernel for it."""
    task, kernel = answer(
        name, ("GET_TILING_DATA(data, tiling)", "GET_TILING_DATA_WITH_STRUCT(TilingData, data, tiling)")
    )
    data = task.model_dump() | {"path": TaskPath.DEVICE}
    source = kernel.files[kernel.main_file]
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    return Task.model_validate(data), Kernel.from_source(source, task.entry)


def codes(verdict: Verdict) -> set[str]:
    return {diagnostic.code for diagnostic in verdict.all_diagnostics if diagnostic.is_error}


@pytest.mark.parametrize("name", NAMES)
def test_the_answer_of_a_shipped_operator_passes(name: str, judge: Judge) -> None:
    task, kernel = answer(name)
    verdict = judge(kernel, task)
    assert verdict.passed, verdict.all_diagnostics
    assert [case.case for case in verdict.cases] == [case.name for case in task.cases]


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("scale-list-operator", [("data.tile", "2048")]),
        ("momentum-operator", []),
        ("rms-norm-optional-operator", [("data.scaled != 0", "gamma != nullptr")]),
    ],
)
def test_the_kernel_alone_gets_the_same_arguments(name: str, changes: list[tuple[str, str]], judge: Judge) -> None:
    task, kernel = on_the_device(name, *changes)
    verdict = judge(kernel, task)
    assert verdict.passed, verdict.all_diagnostics


def test_a_tensor_of_a_list_that_is_left_out_is_named(judge: Judge) -> None:
    task, kernel = answer("scale-list-operator", ("i < from.GetSize()", "i + 1 < from.GetSize() || i == 0"))
    verdict = judge(kernel, task)
    assert "output-not-written" in codes(verdict)
    assert "y[3]" in verdict.cases[1].diagnostics[0].message


def test_only_inputs_that_are_updated_in_place_may_change(judge: Judge) -> None:
    task, kernel = answer("momentum-operator", ("Store(newWeights_, weight_[at]", "Store(newWeights_, grad_[at]"))
    verdict = judge(kernel, task)
    assert "gm-read-only" in codes(verdict)


def test_an_update_that_is_right_for_the_first_use_alone_fails(judge: Judge) -> None:
    task, kernel = answer("momentum-operator", ("Add(newWeight, newWeight, weight, count);", ""))
    assert codes(judge(kernel, task)) == {"numeric-mismatch"}


def test_a_kernel_that_reads_an_absent_tensor_fails_where_it_is_absent(judge: Judge) -> None:
    task, kernel = on_the_device("rms-norm-optional-operator", ("data.scaled != 0", "true"))
    verdict = judge(kernel, task)
    assert [case.passed for case in verdict.cases] == [True, False, True, False]


def test_the_definition_must_have_the_parameter_types_of_the_task(judge: Judge) -> None:
    task, kernel = answer("rms-norm-optional-operator", ("ParamType(OPTIONAL)", "ParamType(REQUIRED)"))
    found = [d for d in judge(kernel, task).all_diagnostics if d.is_error]
    assert [d.code for d in found] == ["host-definition"] * 2
    assert "`gamma` has ParamType REQUIRED" in found[0].message
    assert "ParamType(OPTIONAL)" in found[0].hint


def test_an_operator_that_writes_inputs_without_declaring_outputs(judge: Judge) -> None:
    """It has no arguments for them, and its definition lists none."""
    declaration = "this->Output(tensor).ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});"
    task, kernel = answer(
        "momentum-operator",
        (declaration, "(void)tensor;"),
        ("GM_ADDR weightRef,", ""),
        ("GM_ADDR velocityRef,", ""),
        ("op(grad, weightRef, velocityRef, data.n)", "op(grad, weight, velocity, data.n)"),
    )
    plain = Task.model_validate(task.model_dump() | {"declares_updates": False})
    verdict = judge(kernel, plain)
    assert verdict.passed, verdict.all_diagnostics


@pytest.mark.parametrize("name", NAMES)
def test_what_does_not_carry_them_says_so(name: str) -> None:
    task = load_task(name)
    with pytest.raises(Refusal, match="rules are for single tensors alone"):
        compose(task)
    with pytest.raises(ToolchainError, match="which this toolchain's launch does not carry"):
        _require_single_tensors(task)
