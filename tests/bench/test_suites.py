"""Suites: the shipped one covers what it promises, and tasks are found by name and by file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agentkernel.bench.suites import load_task, shipped_suites, suite
from agentkernel.bench.validation import validate
from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.formula import Reduce, parse_task
from agentkernel.judge import judge, make_inputs, reference, same_precision
from agentkernel.task import Case, Fill, Reference, ShapeMode, Task
from agentkernel.toolchains.base import Run

CORE = suite("core")
NAMES = [task.name for task in CORE]
BY_FORMULA = [task for task in CORE if task.reference.formula is not None]


def test_the_shipped_suites_are_valid() -> None:
    assert validate(CORE) == ()
    assert validate(suite("operators")) == ()


def test_operators_have_lists_optional_tensors_and_updates_in_place() -> None:
    tasks = suite("operators")
    kinds = {spec.param_type for task in tasks for spec in (*task.inputs, *task.outputs)}
    assert kinds == {"required", "optional", "dynamic"}
    assert any(task.in_place for task in tasks)


def test_the_shipped_suite_covers_levels_dtypes_and_modes() -> None:
    assert len(CORE) >= 12
    assert {task.level for task in CORE} == {"L1", "L2", "L3"}
    assert {task.shape_mode for task in CORE} == set(ShapeMode)
    dtypes = {spec.dtype for task in CORE for spec in (*task.inputs, *task.outputs)}
    assert {DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.INT32} <= dtypes
    assert any(task.reference.python for task in CORE)
    assert any(isinstance(node, Reduce) for task in BY_FORMULA for _, node in parse_task(task))
    assert {1, 8, 48} <= {task.block_dim for task in CORE}
    assert {"add-float16", "softmax-float32", "layer-norm-float16", "select-greater-float32"} <= set(NAMES)


def test_every_dynamic_task_has_aligned_unaligned_small_and_large_cases() -> None:
    for task in CORE:
        if task.shape_mode is ShapeMode.DYNAMIC:
            sizes = [np.prod(task.shape_of(task.inputs[0], case)) for case in task.cases]
            assert min(sizes) <= 1000, task.name
            assert max(sizes) >= 2**15, task.name
            assert any(size % 16 for size in sizes), task.name
            assert any(size % 256 == 0 for size in sizes), task.name


def test_special_values_are_cases_of_their_own() -> None:
    special = [
        (task.name, case.name)
        for task in CORE
        for case in task.cases
        if "specials" in {f.kind for f in case.fills.values()}
    ]
    assert len(special) >= 10
    assert all(name == "specials" for _, name in special)


@pytest.mark.parametrize("task", BY_FORMULA, ids=lambda task: task.name)
def test_a_float32_computation_passes_every_task(task: Task) -> None:
    """A kernel that computes in float32 and rounds once must pass: the cases leave room for it."""
    for case in task.cases:
        inputs = make_inputs(task, case)
        values = same_precision(task, case, inputs, DType.FLOAT32)
        assert values is not None
        with np.errstate(all="ignore"):
            outputs = {spec.name: values[spec.name].astype(spec.dtype.numpy) for spec in task.outputs}
        result = judge(task, case, inputs, Run(completed=True, outputs=outputs))
        assert result.passed, (case.name, result.diagnostics)


@pytest.mark.parametrize("task", CORE, ids=lambda task: task.name)
def test_zeros_fail_every_task(task: Task) -> None:
    passed = []
    for case in task.cases:
        inputs = make_inputs(task, case)
        outputs = {spec.name: np.zeros(task.shape_of(spec, case), spec.dtype.numpy) for spec in task.outputs}
        passed.append(judge(task, case, inputs, Run(completed=True, outputs=outputs)).passed)
    assert not all(passed)


@pytest.mark.parametrize("task", CORE, ids=lambda task: task.name)
def test_a_wrong_last_element_fails_every_case(task: Task) -> None:
    """The commonest fault of a kernel. 2 in place of a value below 1.5, else 0 (integers: one more) is always wrong."""
    for case in task.cases:
        inputs = make_inputs(task, case)
        expected = reference(task, case, inputs)
        with np.errstate(all="ignore"):
            outputs = {spec.name: expected[spec.name].astype(spec.dtype.numpy) for spec in task.outputs}
        last = outputs[task.outputs[0].name].reshape(-1)
        if task.outputs[0].dtype.is_float:
            last[-1] = 0 if abs(last[-1]) > 1.5 else 2
        else:
            last[-1] += 1 if last[-1] < 100 else -1
        result = judge(task, case, inputs, Run(completed=True, outputs=outputs), expected=expected)
        assert not result.passed, case.name


def test_tasks_are_found_by_name() -> None:
    assert all(load_task(task.name) == task for task in CORE)


def test_typos_get_the_nearest_names() -> None:
    with pytest.raises(TaskError, match=r"no task 'sofmax-float32' \(did you mean softmax-float32"):
        load_task("sofmax-float32")
    with pytest.raises(TaskError, match="bench list"):
        load_task("qqqqqqqqqq")


def test_tasks_are_found_by_file(tmp_path: Path) -> None:
    folder = Path(load_task.__code__.co_filename).parent / "suites" / "core"
    assert load_task(folder / "relu_static.yaml") == load_task("relu-static-float16")
    assert load_task(f"{folder}/add.yaml#add-int32") == load_task("add-int32")
    copy = tmp_path / "own.yml"
    copy.write_bytes((folder / "relu_static.yaml").read_bytes())
    assert load_task(copy).suite == ""
    with pytest.raises(TaskError, match=r"holds 4 tasks \(choose one: .*add.yaml#add-float16"):
        load_task(folder / "add.yaml")
    with pytest.raises(TaskError, match=r"has no task 'add-int3'.*add-int32"):
        load_task(f"{folder}/add.yaml#add-int3")
    with pytest.raises(TaskError, match="no task file"):
        load_task(tmp_path / "none.yaml")
    with pytest.raises(TaskError, match="is a folder"):
        load_task(tmp_path)


def test_a_folder_of_task_files_is_a_suite(tmp_path: Path) -> None:
    folder = Path(load_task.__code__.co_filename).parent / "suites" / "core"
    with pytest.raises(TaskError, match="holds no task file"):
        suite(tmp_path)
    text = (folder / "relu_static.yaml").read_text()
    (tmp_path / "a.yaml").write_text(text)
    assert [task.suite for task in suite(tmp_path)] == [tmp_path.name]
    (tmp_path / "b.yaml").write_text(text)
    with pytest.raises(TaskError, match=r"'relu-static-float16' is in a\.yaml already"):
        suite(tmp_path)
    with pytest.raises(TaskError, match=r"no suite 'none' \(shipped: core"):
        suite("none")
    assert "core" in shipped_suites()


def problems(task: Task, **change: object) -> list[str]:
    return [p.message for p in validate([Task.model_validate({**task.model_dump(), **change})])]


def test_validation_finds_what_data_cannot_show() -> None:
    task = load_task("relu-float32")
    case = task.cases[0]
    assert problems(task) == []
    assert "unknown name" in problems(task, reference=Reference(formula="y = z").model_dump())[0]
    python = "def reference(inputs, attrs):\n    return {'y': inputs['x'][:1]}"
    assert "shape" in problems(task, reference=Reference(python=python).model_dump())[0]
    assert "a tolerance for int8" in problems(task, tolerance={"threshold": {"int8": 1}})[0]
    assert "nearly everything pass" in problems(task, tolerance={"threshold": {"float32": 0.5}})[0]
    assert "word of C++" in problems(task, entry="return")[0]
    assert "description is empty" in problems(task, description=" ")[0]
    nan = Reference(formula="y = x * nan").model_dump()
    assert "is NaN, so that nothing is judged" in problems(task, reference=nan)[0]
    large = case.model_copy(update={"fills": {"x": Fill(low=-1e300, high=1e300)}})
    assert "leaves the range of its dtype" in problems(task, cases=[large.model_dump()])[0]
    overflow = Reference(formula="y = x * 1e300").model_dump()
    assert "overflows float32" in problems(task, reference=overflow)[0]
    whole = load_task("add-int32")
    assert "must be a whole number" in problems(whole, tolerance={"threshold": {"int32": 0.5}})[0]
    big = "def reference(inputs, attrs):\n    return {'z': inputs['x'] + 2**40}"
    assert "leaves the range of int32" in problems(whole, reference=Reference(python=big).model_dump())[0]


def test_validation_names_the_case() -> None:
    task = load_task("relu-int32")
    bad = Case(name="bad", dims={"n": 4}, fills={"x": Fill(kind="integers", low=-(2.0**40), high=0)})
    found = validate([task.model_copy(update={"cases": (*task.cases, bad)})])
    assert [(p.task, p.case) for p in found] == [("relu-int32", "bad")]


def test_names_are_distinct_over_a_suite() -> None:
    task = load_task("relu-int32")
    assert [p.message for p in validate([task, task])] == ["two tasks have this name: rename one"]
