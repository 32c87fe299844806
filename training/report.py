"""What a harvest saw, kept and dropped; its counts add up or it does not exist."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Kind = Literal["sft_draft", "sft_repair_api", "sft_repair_kernel", "sft_repair_format", "dpo", "grpo"]
Split = Literal["train", "validation"]

MEANINGS: dict[Kind, str] = {
    "sft_draft": "drafts; kept where the first answer passes",
    "sft_repair_api": "attempts that failed before they ran (API, compiler, host); kept with the answer that passed",
    "sft_repair_kernel": "attempts that failed when they ran (bounds, hazards, numbers); kept as those above",
    "sft_repair_format": "answers without a kernel; there is nothing to repair, so none is kept",
    "dpo": "pairs of answers to one prompt of which the first is better",
    "grpo": "tasks",
}

REASONS: dict[str, str] = {
    "failed": "the draft did not pass",
    "no-prompt": "the draft came from outside, without a prompt",
    "no-kernel": "no kernel could be taken from the answer",
    "never-fixed": "no later attempt of the run passed",
    "same-as-fix": "the failed and the fixing kernel are the same up to layout",
    "no-answer": "nothing was said that could be learnt (empty, or a file set that cannot be written as an answer)",
    "same-source": "chosen and rejected kernel are the same up to layout",
    "duplicate": "an equal row was kept before (sources compared up to layout)",
    "capped": "the prompt has as many pairs as one may have",
    "too-long": "longer than the limit on characters",
    "excluded-suite": "the task belongs to a suite that is kept out",
}


class Tally(BaseModel):
    """Counts of one kind of row."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seen: int = Field(ge=0)
    """Candidates: for repairs the failed attempts, for drafts the drafts, for pairs the ordered pairs."""
    kept: dict[Split, int] = Field(default_factory=dict)
    dropped: dict[str, int] = Field(default_factory=dict)
    """By reason, see `REASONS`."""

    @model_validator(mode="after")
    def _adds_up(self) -> Tally:
        known = sum(self.kept.values()) + sum(self.dropped.values())
        if self.seen != known:
            raise ValueError(f"{self.seen} rows were seen, and {known} were kept or dropped")
        return self


class HarvestReport(BaseModel):
    """Counts of a harvest, as written to `report.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    agentkernel: str
    """Version that harvested."""
    command: str
    """Command line that gives this data set."""
    out: str
    runs: int = Field(ge=0)
    attempts_passed: int = Field(ge=0)
    attempts_failed: int = Field(ge=0)
    tasks: dict[Split, int]
    """Distinct tasks with at least one row, by split."""
    provenance: dict[str, int]
    """Rows by what judged them."""
    longest: int = Field(ge=0)
    """Characters of the longest row (prompt and answers): a trainer's token limit must not silently cut it."""
    tallies: dict[Kind, Tally]

    @model_validator(mode="after")
    def _adds_up(self) -> HarvestReport:
        failed = sum(t.seen for kind, t in self.tallies.items() if kind.startswith("sft_repair"))
        if failed != self.attempts_failed:
            raise ValueError(f"{self.attempts_failed} attempts failed, and {failed} were looked at as repairs")
        rows = sum(sum(t.kept.values()) for t in self.tallies.values())
        if rows != sum(self.provenance.values()):
            raise ValueError(f"{rows} rows were kept, and {sum(self.provenance.values())} have a provenance")
        return self

    def for_person(self) -> str:
        """The counts as lines of text."""
        lines = [
            f"{self.runs} runs, {self.attempts_passed + self.attempts_failed} attempts "
            f"({self.attempts_passed} passed, {self.attempts_failed} failed)"
        ]
        for kind, tally in self.tallies.items():
            kept = sum(tally.kept.values())
            split = f"{tally.kept.get('train', 0)} train, {tally.kept.get('validation', 0)} validation"
            dropped = ", ".join(f"{count} {reason}" for reason, count in tally.dropped.items())
            lines.append(
                f"{kind:<18} {tally.seen} seen = {kept} kept ({split}) + {tally.seen - kept} dropped"
                + (f" ({dropped})" if dropped else "")
            )
        return "\n".join([*lines, f"written to {self.out}"])
