"""Progress of a run, as typed events: what the command line shows, and what a caller may watch.

Events are news, not memory: a resumed run sends those of the steps that it makes, not those of steps made before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agentkernel.trajectory import Outcome, Turn
from agentkernel.verdict import Stage

Step = Literal["retrieve", "draft", "check", "compile", "verify", "repair"]
"""Nodes of the graph that take time."""


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    run_id: str


class RunStarted(_Event):
    """A run begins, or goes on where it was killed."""

    kind: Literal["run-started"] = "run-started"
    task: str
    model: str
    toolchain: str
    sample: int
    resumed: bool = False


class StepStarted(_Event):
    """A node of the graph begins."""

    kind: Literal["step-started"] = "step-started"
    step: Step
    attempt: int
    """Index of the attempt that the step belongs to."""
    turn: Turn


class Answered(_Event):
    """A completion is there."""

    kind: Literal["answered"] = "answered"
    attempt: int
    turn: Turn
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: float = Field(ge=0)
    """Time that the model took, by its client."""
    journaled: bool
    """Whether it was kept by an earlier process and not asked for again."""


class AttemptJudged(_Event):
    """An attempt has its verdict and is kept."""

    kind: Literal["attempt-judged"] = "attempt-judged"
    attempt: int
    turn: Turn
    passed: bool
    stage: Stage
    codes: tuple[str, ...]
    """Codes of the errors, in order, without doubles."""
    cases_passed: int
    cases: int
    """Cases that ran."""
    kernel_us: float | None
    """Largest estimate over the cases."""


class RunEnded(_Event):
    """A run ended and is kept."""

    kind: Literal["run-ended"] = "run-ended"
    outcome: Outcome
    attempts: int
    tokens: int
    seconds: float
    """Wall time over all resumptions."""


Event = RunStarted | StepStarted | Answered | AttemptJudged | RunEnded
OnEvent = Callable[[Event], None]
"""Is called on the loop's own thread, so it should return quickly; what it raises ends the run."""
