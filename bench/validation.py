"""Validation of tasks: what a task file's data alone cannot show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.task import Case, CaseTensor, Task

_LOOSEST = 0.1
"""Largest mean relative error that a task may allow; beyond it nearly everything passes."""

# keywords of C++ and the element type `half`: as names of arguments they would break the launch contract
_RESERVED = re.compile(
    "auto|bool|break|case|catch|char|class|const|constexpr|continue|default|delete|do|double|else|enum|explicit|extern|"
    "false|float|for|friend|goto|half|if|inline|int|long|mutable|namespace|new|operator|private|protected|public|"
    "register|return|short|signed|sizeof|static|struct|switch|template|this|throw|true|try|typedef|typename|union|"
    "unsigned|using|virtual|void|volatile|while"
)


class Problem(BaseModel):
    """Something wrong with a task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    case: str | None = None
    """None for the task as a whole."""
    message: str
    """What is wrong and what to do."""


def validate(tasks: Sequence[Task]) -> tuple[Problem, ...]:
    """Everything that is wrong with some tasks; empty where all is well.

    Each task's formula must parse; its reference must evaluate on every case and give every output in its shape and
    kind; inputs must be the same when they are drawn again; without special values in the inputs finite results must
    fit the output's dtype; tolerances must mean something; names must be legal in C++ and distinct.
    """
    problems = [problem for task in tasks for problem in _task(task)]
    names = [task.name for task in tasks]
    problems += [
        Problem(task=name, message="two tasks have this name: rename one")
        for name in sorted({n for n in names if names.count(n) > 1})
    ]
    return tuple(problems)


def _task(task: Task) -> Iterator[Problem]:
    tensors = (*task.inputs, *task.outputs)
    names = [task.entry, *dict.fromkeys(spec.name for spec in tensors), *task.dim_names]
    names += dict.fromkeys(spec.axes_name for spec in tensors if spec.axes_name)
    names += [spec.name for spec in task.attrs]
    for name in names:
        if _RESERVED.fullmatch(name):
            yield Problem(task=task.name, message=f"{name!r} is a word of C++: choose another name")
    if not task.description.strip():
        yield Problem(task=task.name, message="the description is empty: say what the operator computes")
    yield from _tolerance(task)
    if task.reference.formula is not None:
        from agentkernel.formula import parse_task

        try:
            parse_task(task)
        except TaskError as error:
            yield Problem(task=task.name, message=str(error))
            return
    for case in task.cases:
        yield from _case(task, case)


def _tolerance(task: Task) -> Iterator[Problem]:
    outputs = {spec.dtype for spec in task.outputs}
    for dtype, threshold in task.tolerance.threshold.items():
        if dtype not in outputs:
            yield Problem(task=task.name, message=f"a tolerance for {dtype}, which no output has: remove it")
        elif dtype.is_float and threshold > _LOOSEST:
            yield Problem(task=task.name, message=f"the tolerance {threshold:g} of {dtype} lets nearly everything pass")
        elif not dtype.is_float and threshold != int(threshold):
            yield Problem(task=task.name, message=f"the tolerance {threshold:g} of {dtype} must be a whole number")


def _case(task: Task, case: Case) -> Iterator[Problem]:
    from agentkernel.judge import case_values

    try:
        inputs, outputs = case_values(task, case)
        again, _ = case_values(task, case)
    except TaskError as error:
        yield Problem(task=task.name, case=case.name, message=str(error))
        return
    for name, values in inputs.items():
        if values.tobytes() != again[name].tobytes():
            yield Problem(task=task.name, case=case.name, message=f"the input {name} changes from draw to draw")
        if values.dtype.kind not in "iub" and _is_ordinary(case) and not np.isfinite(values.astype(np.float64)).all():
            message = f"the fill of {name} leaves the range of its dtype: make it smaller, or use kind: specials"
            yield Problem(task=task.name, case=case.name, message=message)
    yield from _outputs(task, case, outputs)


def _outputs(task: Task, case: Case, outputs: dict[str, NDArray[Any]]) -> Iterator[Problem]:
    for spec in task.outputs_of(case):
        if not spec.spec.compare:
            continue
        values = outputs[spec.name]
        kind = "f" if spec.dtype.is_float else "b" if spec.dtype.value == "bool" else "i"
        if values.shape != spec.shape or values.dtype.kind != kind:
            message = f"the reference gives {values.dtype} {values.shape} for the output {spec.name}"
            yield Problem(task=task.name, case=case.name, message=message)
        elif spec.dtype.is_float:
            yield from _floats(task, case, spec, values)
        elif kind == "i" and not _in_range(values, spec.dtype):
            yield Problem(task=task.name, case=case.name, message=f"{spec.name} leaves the range of {spec.dtype}")


def _floats(task: Task, case: Case, spec: CaseTensor, values: NDArray[Any]) -> Iterator[Problem]:
    if np.isnan(values).all():
        message = f"every element of {spec.name} is NaN, so that nothing is judged"
        yield Problem(task=task.name, case=case.name, message=message)
    with np.errstate(over="ignore"):
        stored = values.astype(spec.dtype.numpy).astype(np.float64)
    if _is_ordinary(case) and np.any(np.isfinite(values) & ~np.isfinite(stored)):
        message = f"{spec.name} overflows {spec.dtype}: make the inputs smaller, or use kind: specials"
        yield Problem(task=task.name, case=case.name, message=message)


def _in_range(values: NDArray[Any], dtype: DType) -> bool:
    limits = np.iinfo(np.dtype(dtype.value))
    return not values.size or bool(limits.min <= values.min() and values.max() <= limits.max)


def _is_ordinary(case: Case) -> bool:
    """Whether no input of a case is filled with special values."""
    return all(fill.kind != "specials" for fill in case.fills.values())
