"""From trajectories to rows: what is kept, in which split, and why the rest is dropped."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field

from agentkernel.task import Task
from agentkernel.training.pairs import Given, Pair, fixes_of, pairs_of
from agentkernel.training.report import Kind, Split, Tally
from agentkernel.training.rows import DpoRow, GrpoRow, Origin, SftRow, answer_of, assistant
from agentkernel.training.sources import source_key
from agentkernel.trajectory import Attempt, Message, Trajectory, Turn


class HarvestOptions(BaseModel):
    """What a harvest keeps."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    exclude_suites: tuple[str, ...] = ()
    """Suites whose tasks give no row at all: benchmarks that the trained model will be measured with."""
    validation: float = Field(default=0.1, ge=0, lt=1)
    """Share of the tasks that goes to the validation split, by a hash of the task's name."""
    reasoning: bool = True
    """Whether completions keep the model's reasoning, between `<think>` and `</think>`."""
    max_chars: int | None = Field(default=None, ge=1)
    """Longest row (prompt and answers) in characters. TRL cuts or drops longer ones without a word."""
    pairs_per_prompt: int = Field(default=16, ge=1)
    """Most DPO pairs of one prompt, so that tasks with many samples do not outweigh the others."""
    later_turns: bool = True
    """Whether the answer that solved a run is also preferred, at the run's earlier prompts, over what failed there."""
    faster: float | None = Field(default=None, gt=1)
    """Where set, DPO also prefers, of two passing kernels, one that takes at most 1/`faster` of the other's time."""


def split_of(task_name: str, validation: float) -> Split:
    """Split of a task: by its name alone, so that a task never changes sides between harvests."""
    place = int.from_bytes(hashlib.sha256(task_name.encode()).digest()[:8], "big") / 2**64
    return "validation" if place < validation else "train"


class Collection:
    """Rows and counts of one harvest."""

    def __init__(self, options: HarvestOptions) -> None:
        self.options = options
        self.rows: dict[tuple[Kind, Split], list[Origin]] = {}
        self.longest = 0
        self._seen: Counter[Kind] = Counter()
        self._dropped: dict[Kind, Counter[str]] = {kind: Counter() for kind in get_args(Kind)}
        self._keys: set[tuple[object, ...]] = set()

    def add(self, runs: Sequence[Trajectory]) -> None:
        """Collect the rows of all kinds. Called once: pairs need every run at the same time."""
        for run in runs:
            for attempt in run.attempts:
                if attempt.turn is Turn.DRAFT:
                    self._draft(run, attempt)
            self._repairs(run)
        self._pairs(runs)
        for run, row in _tasks(runs):
            self._keep("grpo", run, row)

    def tallies(self) -> dict[Kind, Tally]:
        """Counts by kind; every kind is there."""
        return {
            kind: Tally(
                seen=self._seen[kind],
                kept={split: len(self.rows.get((kind, split), [])) for split in get_args(Split)},
                dropped=dict(sorted(self._dropped[kind].items())),
            )
            for kind in get_args(Kind)
        }

    def _keep(self, kind: Kind, run: Trajectory, row: Origin | str, key: tuple[object, ...] = ()) -> bool:
        """Count a candidate and keep its row.

        Args:
            kind: Where it goes.
            run: Where it comes from.
            row: The row, or the reason why there is none.
            key: What makes it the same as another row of its kind and task.
        """
        self._seen[kind] += 1
        reason = row if isinstance(row, str) else self._objection(kind, run.header.task, row, key)
        if isinstance(row, str) or reason:
            self._dropped[kind][reason] += 1
            return False
        self.longest = max(self.longest, row.chars)
        self.rows.setdefault((kind, split_of(row.task, self.options.validation)), []).append(row)
        return True

    def _objection(self, kind: Kind, task: Task, row: Origin, key: tuple[object, ...]) -> str:
        if task.suite and task.suite in self.options.exclude_suites:
            return "excluded-suite"
        if self.options.max_chars is not None and row.chars > self.options.max_chars:
            return "too-long"
        whole = (kind, task.digest, *key)
        if whole in self._keys:
            return "duplicate"
        self._keys.add(whole)
        return ""

    def _draft(self, run: Trajectory, attempt: Attempt) -> None:
        if not attempt.verdict.passed or attempt.kernel is None:
            self._keep("sft_draft", run, "failed")
        elif not attempt.messages:
            self._keep("sft_draft", run, "no-prompt")
        else:
            row = self._sft(run, attempt.messages, attempt, None)
            self._keep("sft_draft", run, row, (source_key(attempt.kernel),))

    def _repairs(self, run: Trajectory) -> None:
        fixes = {failed.index: fix for failed, fix in fixes_of(run)}
        for failed in run.attempts:
            if failed.verdict.passed:
                continue
            kind = _repair_kind(failed)
            fix = fixes.get(failed.index)
            if failed.kernel is None:
                self._keep(kind, run, "no-kernel")
            elif fix is None or fix.kernel is None:
                self._keep(kind, run, "never-fixed")
            elif source_key(failed.kernel) == source_key(fix.kernel):
                self._keep(kind, run, "same-as-fix")
            else:
                row = self._sft(run, _repair_messages(run, failed), fix, failed)
                key = (source_key(failed.kernel), source_key(fix.kernel))
                self._keep(kind, run, row, key)

    def _sft(
        self, run: Trajectory, prompt: tuple[Message, ...], passed: Attempt, failed: Attempt | None
    ) -> SftRow | str:
        answer = answer_of(passed, run.header.task, reasoning=self.options.reasoning)
        if answer is None:
            return "no-answer"
        codes = [d.code for d in failed.verdict.all_diagnostics if d.is_error] if failed is not None else []
        return SftRow(
            **_origin(run, passed),
            prompt=prompt,
            completion=assistant(answer),
            run_id=run.header.run_id,
            failed=-1 if failed is None else failed.index,
            passed=passed.index,
            failure=codes[0] if codes else "",
        )

    def _pairs(self, runs: Sequence[Trajectory]) -> None:
        options = self.options
        for group in pairs_of(runs, faster=options.faster, later_turns=options.later_turns):
            kept = 0
            for pair in group:
                if kept == options.pairs_per_prompt:
                    self._keep("dpo", pair.chosen.run, "capped")
                elif pair.chosen.key == pair.rejected.key:
                    self._keep("dpo", pair.chosen.run, "same-source")
                else:
                    key = (pair.prompt, pair.chosen.key, pair.rejected.key)
                    kept += self._keep("dpo", pair.chosen.run, self._dpo(pair), key)

    def _dpo(self, pair: Pair) -> DpoRow | str:
        chosen, rejected = (
            answer_of(given.attempt, given.run.header.task, reasoning=self.options.reasoning)
            for given in (pair.chosen, pair.rejected)
        )
        if chosen is None or rejected is None:
            return "no-answer"
        return DpoRow(
            **_origin(pair.chosen.run, pair.chosen.attempt),
            prompt=pair.prompt,
            chosen=assistant(chosen),
            rejected=assistant(rejected),
            turn=pair.rejected.attempt.turn.value,
            reason=pair.reason,
            pairing=pair.pairing,
            chosen_from=pair.chosen.place,
            rejected_from=pair.rejected.place,
        )


def _origin(run: Trajectory, attempt: Attempt) -> dict[str, Any]:
    task = run.header.task
    return {
        "task": task.name,
        "suite": task.suite,
        "task_level": task.level,
        "provenance": attempt.verdict.provenance,
        "model": run.header.model if attempt.completion is not None else "human",
    }


def _repair_kind(failed: Attempt) -> Kind:
    from agentkernel.prompts import repair_turn

    kinds: dict[Turn, Kind] = {Turn.REPAIR_FORMAT: "sft_repair_format", Turn.REPAIR_API: "sft_repair_api"}
    return kinds.get(repair_turn(failed.verdict), "sft_repair_kernel")


def _repair_messages(run: Trajectory, failed: Attempt) -> tuple[Message, ...]:
    """The prompt that asked for a repair of this attempt; made anew where a person went on in place of the model."""
    from agentkernel.prompts import PromptOptions, Round, repair_prompt

    after = run.attempts[failed.index + 1]
    if after.messages or failed.kernel is None:
        return after.messages
    last = Round(kernel=failed.kernel, verdict=failed.verdict)
    return repair_prompt(run.header.task, last, options=PromptOptions.for_model(run.header.model)).messages


def _tasks(runs: Sequence[Trajectory]) -> Iterator[tuple[Trajectory, GrpoRow]]:
    """One row for each task that a draft was asked for, with the first prompt that asked for it."""
    drafts: dict[str, list[Given]] = {}
    for run in runs:
        for attempt in run.attempts:
            if attempt.turn is Turn.DRAFT and attempt.messages:
                drafts.setdefault(run.header.task.digest, []).append(Given(run, attempt))
    for given in drafts.values():
        run, attempt = given[0]
        yield (
            run,
            GrpoRow(
                **{**_origin(run, attempt), "model": ""},
                prompt=attempt.messages,
                task_json=run.header.task.model_dump_json(),
                drafts=len(given),
                drafts_passed=sum(g.attempt.verdict.passed for g in given),
            ),
        )
