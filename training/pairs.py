"""Preferences from execution: which of two answers to one prompt went further."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from agentkernel.training.sources import source_key
from agentkernel.trajectory import Attempt, Message, Trajectory

Reason = Literal[
    "passes-over-wrong", "passes-over-uncompiled", "passes-over-cheat", "compiles-over-uncompiled", "faster"
]


class Given(NamedTuple):
    """An answer and the run that it was given in."""

    run: Trajectory
    attempt: Attempt

    @property
    def place(self) -> str:
        """Run and attempt, `run-id/index`."""
        return f"{self.run.header.run_id}/{self.attempt.index}"

    @property
    def rank(self) -> int:
        """2 passes, 1 compiles but is wrong, 0 does not compile or holds no kernel, -1 cheats."""
        verdict = self.attempt.verdict
        if verdict.outcome == "cheat":
            return -1
        return 2 if verdict.passed else int(verdict.compiled and self.attempt.kernel is not None)

    @property
    def key(self) -> str:
        """What makes the answer the same as another: the kernel up to layout, else the text."""
        if self.attempt.kernel is not None:
            return source_key(self.attempt.kernel)
        return self.attempt.completion.text if self.attempt.completion is not None else ""


class Pair(NamedTuple):
    """Two answers, the better first."""

    prompt: tuple[Message, ...]
    chosen: Given
    rejected: Given
    reason: Reason
    pairing: Literal["sampled", "later-turn"]


def pairs_of(runs: Sequence[Trajectory], *, faster: float | None, later_turns: bool) -> Iterator[list[Pair]]:
    """Every ordered pair, grouped by prompt; within a group the most telling first.

    Passing beats wrong beats uncompiled; a cheat is only ever rejected, for a pass. A prompt is the same where task and
    messages are the same, whatever run it was asked in.

    Args:
        runs: Trajectories.
        faster: Where set, of two passing answers the one whose kernel time is at least so many times shorter is better.
        later_turns: Whether the answer that solved a run also counts as chosen at the run's earlier prompts, over the
            answer that failed there.
    """
    given: dict[tuple[str, tuple[Message, ...]], list[Given]] = {}
    fixes: dict[tuple[int, int], Given] = {}
    for run in runs:
        for attempt in run.attempts:
            if attempt.messages and attempt.completion is not None:
                given.setdefault((run.header.task.digest, attempt.messages), []).append(Given(run, attempt))
        for failed, fix in fixes_of(run):
            fixes[id(run), failed.index] = Given(run, fix)
    for (_, prompt), answers in given.items():
        # along diagonals: a limit on pairs then leaves every answer its share, rather than pairing the first with all
        found = [
            Pair(prompt, better, worse, reason, "sampled")
            for step in range(1, len(answers))
            for better, worse in zip(answers, answers[step:] + answers[:step], strict=True)
            if (reason := _reason(better, worse, faster)) is not None
        ]
        if later_turns:
            for worse in answers:
                later = fixes.get((id(worse.run), worse.attempt.index))
                if later is not None and (reason := _reason(later, worse, None)) is not None:
                    found.append(Pair(prompt, later, worse, reason, "later-turn"))
        yield sorted(found, key=_order)


def fixes_of(run: Trajectory) -> Iterator[tuple[Attempt, Attempt]]:
    """Each failed attempt with the first later one of the run that passed."""
    for failed in run.attempts:
        if not failed.verdict.passed:
            fix = next((a for a in run.attempts[failed.index + 1 :] if a.verdict.passed), None)
            if fix is not None:
                yield failed, fix


def _reason(better: Given, worse: Given, faster: float | None) -> Reason | None:
    if better.rank > worse.rank:
        if worse.rank < 0:
            # Only a pass teaches more than "do not cheat": what fails honestly is no example either.
            return "passes-over-cheat" if better.rank == 2 else None
        if worse.rank:
            return "passes-over-wrong"
        return "passes-over-uncompiled" if better.rank == 2 else "compiles-over-uncompiled"
    times = better.attempt.verdict.kernel_us, worse.attempt.verdict.kernel_us
    if faster is None or better.rank < 2 or worse.rank < 2 or None in times:
        return None
    short, long = (time or 0.0 for time in times)
    return "faster" if short * faster <= long and short < long else None


def _order(pair: Pair) -> tuple[bool, int, int]:
    """Answers to the same prompt first; among them a pass first, over what came closest."""
    return (pair.pairing != "sampled", -pair.chosen.rank, -pair.rejected.rank)
