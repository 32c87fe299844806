"""Trajectory: one run of the loop, complete enough to be read back, resumed, re-judged and trained on."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from agentkernel.kernel import Kernel
from agentkernel.task import Task
from agentkernel.verdict import Verdict


class Message(BaseModel):
    """One chat message."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Literal["system", "user", "assistant"]
    content: str


class Sampling(BaseModel):
    """How completions are drawn. Defaults are KernelGen-LM's published settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    temperature: float = Field(default=0.7, ge=0)
    top_p: float = Field(default=0.9, gt=0, le=1)
    max_tokens: int = Field(default=16384, ge=1)
    seed: int | None = None
    """Sent to endpoints that know it; also the style seed of the composer."""


class Completion(BaseModel):
    """A model's answer to one request."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    """The answer as given, reasoning tags included where the endpoint leaves them in."""
    reasoning: str = ""
    """`reasoning_content`, where the endpoint separates it."""
    finish_reason: str = "stop"
    """`stop`, `length` (cut at max_tokens), or what the endpoint says."""
    prompt_tokens: int | None = None
    """None where the endpoint does not count."""
    completion_tokens: int | None = None
    model: str = ""
    """Name that the endpoint reports."""
    seconds: float = Field(default=0.0, ge=0)


class Turn(StrEnum):
    """What an attempt answers."""

    DRAFT = "draft"
    REPAIR_FORMAT = "repair-format"
    REPAIR_API = "repair-api"
    REPAIR_KERNEL = "repair-kernel"
    HUMAN = "human"
    """A kernel edited by hand in a repair session, or given from outside."""


class Attempt(BaseModel):
    """One turn: prompt, completion, the kernel taken from it, and its verdict."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    index: int = Field(ge=0)
    """Position in the trajectory, from 0; the idempotency key of the store."""
    turn: Turn
    messages: tuple[Message, ...] = ()
    """The exact prompt; empty for a human turn."""
    completion: Completion | None = None
    """None for a human turn."""
    kernel: Kernel | None = None
    """None where no kernel could be taken from the answer."""
    verdict: Verdict
    hint: str = ""
    """Words that a person gave for this turn, in a repair session."""


class Outcome(StrEnum):
    """How a run ended."""

    SOLVED = "solved"
    TURNS = "turns"
    """The budget of turns is used up."""
    TOKENS = "tokens"
    SECONDS = "seconds"
    STOPPED = "stopped"
    """A person stopped the session, or another sample of the same call solved the task first."""
    REFUSED = "refused"
    """The model said that it cannot (the composer names what it cannot compose)."""


class Budget(BaseModel):
    """Limits of one run; the run ends with what it has when one is used up."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    turns: int = Field(default=6, ge=1)
    """Model calls, the draft included."""
    tokens: int | None = Field(default=None, ge=1)
    """Prompt plus completion tokens over the run."""
    seconds: float | None = Field(default=None, gt=0)
    """Wall time over the run, counted over resumptions."""


class TrajectoryHeader(BaseModel):
    """What a run was asked to do, written before its first turn."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run_id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    task: Task
    model: str
    toolchain: str
    sampling: Sampling = Sampling()
    budget: Budget = Budget()
    sample: int = Field(default=0, ge=0)
    """Index among the samples of one `solve` call."""
    session: bool = False
    """Whether this is a repair session: its first kernel is a person's, and a person decides on every turn."""
    created: datetime
    versions: dict[str, str] = Field(default_factory=dict)
    """agentkernel, python, compiler, and what else decides results."""
    parent: str | None = None
    """Run that this one was forked from."""


class Trajectory(BaseModel):
    """One run: header, attempts, outcome."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    header: TrajectoryHeader
    attempts: tuple[Attempt, ...] = ()
    outcome: Outcome | None = None
    """None while the run goes on, or where it was killed."""
    extra: dict[str, Any] = Field(default_factory=dict)

    @property
    def solved(self) -> bool:
        """Whether the last attempt passed."""
        return bool(self.attempts) and self.attempts[-1].verdict.passed

    @property
    def tokens(self) -> int:
        """Prompt and completion tokens over all attempts, where the endpoint counted them."""
        return sum(
            (a.completion.prompt_tokens or 0) + (a.completion.completion_tokens or 0)
            for a in self.attempts
            if a.completion is not None
        )
