"""Exemplars: small kernels of our own in current best practice, each with the task that it solves.

They are shown to models as examples, so each is checked by the oracle and judged by the simulator in the tests.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from agentkernel.kernel import Kernel
from agentkernel.task import Task


class Exemplar(BaseModel):
    """One kernel with its task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    title: str
    lesson: str
    """What to learn from it, in one or two sentences."""
    tags: tuple[str, ...]
    """Subjects, as tasks and pitfalls name them."""
    solves: tuple[str, ...] = Field(min_length=1)
    """Operators that it is an answer to, so that it is never shown to a task that asks for one of them."""
    task: Task
    source: str

    @property
    def kernel(self) -> Kernel:
        """The source as a kernel."""
        return Kernel.from_source(self.source, self.task.entry)


@cache
def load_exemplars() -> tuple[Exemplar, ...]:
    """All exemplars, sorted by name."""
    import yaml

    folder = Path(__file__).parent
    made = []
    for path in sorted(folder.glob("*.yaml")):
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
        source = path.with_suffix(".cpp").read_text(encoding="utf-8")
        made.append(Exemplar.model_validate({"name": path.stem, "source": source, **raw}))
    return tuple(made)
