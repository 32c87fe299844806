"""Rows of the data sets: the columns that TRL reads, and beside them where each row comes from."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from agentkernel.extract import extract, set_reasoning_aside
from agentkernel.kernel import Kernel
from agentkernel.task import Task
from agentkernel.trajectory import Attempt, Completion, Message


class Origin(BaseModel):
    """Columns that every row has besides those of its kind. TRL's trainers leave them aside."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: str
    """Name of the task; decides the split."""
    suite: str
    task_level: str
    """L1, L2 or L3."""
    provenance: Literal["simulated", "measured"]
    """What judged: the CPU simulator, or a card."""
    model: str
    """Model that wrote the completion (the chosen one of a pair); `human` where a person did."""

    @property
    def chars(self) -> int:
        """Characters of all messages of the row."""
        groups = [value for _, value in self if isinstance(value, tuple)]
        return sum(len(message.content) for group in groups for message in group)


class SftRow(Origin):
    """Supervised fine-tuning, in TRL's conversational prompt-completion form: the loss falls on the completion."""

    prompt: tuple[Message, ...]
    completion: tuple[Message, ...]
    """One assistant message."""
    run_id: str
    failed: int
    """Index of the attempt that is repaired; -1 for a draft."""
    passed: int
    """Index of the attempt that gave the completion."""
    failure: str
    """Code of the first error that is repaired; empty for a draft."""


class DpoRow(Origin):
    """A preference, in TRL's conversational form with an explicit prompt."""

    prompt: tuple[Message, ...]
    chosen: tuple[Message, ...]
    """One assistant message."""
    rejected: tuple[Message, ...]
    """One assistant message."""
    turn: str
    """Kind of turn that the prompt opens: `draft`, `repair-api`, ..."""
    reason: Literal[
        "passes-over-wrong", "passes-over-uncompiled", "passes-over-cheat", "compiles-over-uncompiled", "faster"
    ]
    pairing: Literal["sampled", "later-turn"]
    """`sampled`: both were given to this prompt. `later-turn`: the chosen one came later in the same run."""
    chosen_from: str
    """Run and attempt, `run-id/index`."""
    rejected_from: str


class GrpoRow(Origin):
    """A task to draw completions for; the reward verifies the kernel against `task_json`."""

    prompt: tuple[Message, ...]
    task_json: str
    """The `Task`, as JSON text."""
    drafts: int
    """Drafts that were drawn for it in these runs."""
    drafts_passed: int


def answer_of(attempt: Attempt, task: Task, *, reasoning: bool) -> str | None:
    """What an assistant should have said in a turn; None where the turn has nothing that can be said.

    Args:
        attempt: A turn. Where a person wrote its kernel, the answer is the kernel in fenced code.
        task: The run's task.
        reasoning: Whether the model's reasoning stays in, between `<think>` and `</think>`.
    """
    if attempt.completion is not None:
        return _spoken(attempt.completion, reasoning).strip() or None
    if attempt.kernel is None:
        return None
    written = _written(attempt.kernel)
    return written if extract(Completion(text=written), task) == attempt.kernel else None


def assistant(text: str) -> tuple[Message, ...]:
    """One assistant message."""
    return (Message(role="assistant", content=text),)


def _spoken(completion: Completion, reasoning: bool) -> str:
    if not reasoning:
        return set_reasoning_aside(completion.text)[0]
    if completion.reasoning:
        return f"<think>\n{completion.reasoning.strip()}\n</think>\n\n{completion.text}"
    if "</think>" in completion.text and "<think>" not in completion.text:
        # the prompt had opened the reasoning; a chat template does not
        return "<think>\n" + completion.text.lstrip("\n")
    return completion.text


def _written(kernel: Kernel) -> str:
    if len(kernel.files) == 1:
        return _fence(next(iter(kernel.files.values())))
    rule = "=" * 18
    return "\n".join(f"{rule} {name} {rule}\n{_fence(text)}" for name, text in kernel.files.items())


def _fence(text: str) -> str:
    return f"```cpp\n{text}" + ("" if text.endswith("\n") else "\n") + "```\n"
