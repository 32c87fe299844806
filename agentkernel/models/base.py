"""ModelClient: the seam behind which a kernel-writing model stands."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict

from agentkernel.diagnostic import Diagnostic
from agentkernel.task import Task
from agentkernel.trajectory import Completion, Message, Sampling, Turn


class ModelRequest(BaseModel):
    """One question to a model.

    `messages` is all that a language model reads. The rest is for clients that are none (the composer writes from the
    task itself) and for recordings.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    messages: tuple[Message, ...]
    sampling: Sampling = Sampling()
    turn: Turn = Turn.DRAFT
    attempt: int = 0
    """Index of the attempt in its trajectory."""
    task: Task | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    """Findings that a repair turn answers."""


@runtime_checkable
class ModelClient(Protocol):
    """Anything that answers messages with a completion."""

    @property
    def name(self) -> str:
        """Name as it is written into trajectories."""
        ...

    async def complete(self, request: ModelRequest) -> Completion:
        """Answer one request.

        Raises:
            ModelError: No completion could be had; the subclass says why and whether trying again can help.
        """
        ...
