"""Drawing a task from a suite, for demonstrations."""

from __future__ import annotations

import random
from collections.abc import Sequence

from agentkernel.errors import TaskError
from agentkernel.task import Task


def draw(tasks: Sequence[Task], seed: int | None = None) -> Task:
    """A task that the composer can write, drawn at random (or by a seed).

    Raises:
        TaskError: None of the tasks can be composed.
    """
    from agentkernel.composer import Refusal, compose

    order = list(tasks)
    random.Random(seed).shuffle(order)
    for task in order:
        try:
            compose(task)
        except Refusal:
            continue
        return task
    raise TaskError("no task of this suite can be composed", hint="name a task and a model")
