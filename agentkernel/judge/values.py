"""Inputs and expected values of a case, wherever the task has them from."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from agentkernel.judge.inputs import make_inputs
from agentkernel.judge.reference import reference
from agentkernel.task import Case, Task

Values = dict[str, NDArray[Any]]


def case_values(task: Task, case: Case) -> tuple[Values, Values]:
    """Inputs (of the declared types) and expected outputs (float64, int64 or bool) of a case, by name.

    They are drawn and evaluated here, or come from the task's external source.

    Raises:
        TaskError: The inputs cannot be drawn or the reference cannot be evaluated.
        ConfigError: An external source needs something that is not installed.
    """
    if task.reference.external is None:
        inputs = make_inputs(task, case)
        return inputs, reference(task, case, inputs)
    from agentkernel.bench.npukernelbench.provider import provide

    return provide(task, case)
