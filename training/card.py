"""README.md of a harvested data set: a card that the Hugging Face hub and `datasets` read, with the counts."""

from __future__ import annotations

from typing import get_args

from agentkernel.training.report import MEANINGS, REASONS, HarvestReport, Split

_COLUMNS = {
    "sft_*": "`prompt` (messages), `completion` (one assistant message), `run_id`, `failed` and `passed` (indices of "
    "attempts), `failure` (code of the first error)",
    "dpo": "`prompt`, `chosen`, `rejected` (messages), `turn`, `reason`, `pairing`, `chosen_from`, `rejected_from`",
    "grpo": "`prompt`, `task_json` (what a reward needs to verify a kernel), `drafts`, `drafts_passed`",
}


def card(report: HarvestReport) -> str:
    """Markdown with the YAML head that tells loaders which file is which split."""
    return "\n".join([*_head(report), *_body(report)]) + "\n"


def _head(report: HarvestReport) -> list[str]:
    lines = ["---", "task_categories:", "- text-generation", "tags:", "- ascend-c", "- kernel-generation", "- trl"]
    kept = {kind: [s for s in get_args(Split) if t.kept.get(s)] for kind, t in report.tallies.items()}
    if any(kept.values()):
        lines.append("configs:")
    for kind, splits in kept.items():
        if splits:
            lines += [f"- config_name: {kind}", "  data_files:"]
            lines += [line for s in splits for line in (f"  - split: {s}", f"    path: {kind}/{s}.jsonl")]
    return [*lines, "---", ""]


def _body(report: HarvestReport) -> list[str]:
    judged = ", ".join(f"{count} rows {how}" for how, count in report.provenance.items()) or "no rows"
    lines = [
        "# Ascend C kernels: drafts, repairs and execution preferences",
        "",
        "Rows made from runs of agentkernel, in which a model writes Ascend C kernels and every attempt is compiled, "
        "run and compared with a reference.",
        "",
        f"Made by agentkernel {report.agentkernel} with",
        "",
        f"    {report.command}",
        "",
        f"from {report.runs} runs with {report.attempts_passed + report.attempts_failed} attempts, of which "
        f"{report.attempts_passed} passed and {report.attempts_failed} failed.",
        "",
        f"Provenance of the judgements: {judged}. Simulated means judged by a CPU simulator: kernel times are "
        "estimates, and a pass there is no proof for a card.",
        "",
        "## Counts",
        "",
        "| rows | train | validation | dropped | seen | candidates |",
        "|---|---|---|---|---|---|",
    ]
    for kind, tally in report.tallies.items():
        train, validation = (tally.kept.get(split, 0) for split in get_args(Split))
        dropped = sum(tally.dropped.values())
        lines.append(f"| {kind} | {train} | {validation} | {dropped} | {tally.seen} | {MEANINGS[kind]} |")
    lines += ["", "Every candidate is kept in one split or dropped for one reason:", ""]
    lines += ["| rows | reason | dropped | meaning |", "|---|---|---|---|"]
    for kind, tally in report.tallies.items():
        lines += [f"| {kind} | {why} | {count} | {REASONS[why]} |" for why, count in tally.dropped.items()]
    tasks = ", ".join(f"{report.tasks.get(split, 0)} {split}" for split in get_args(Split))
    lines += [
        "",
        f"Tasks with at least one row: {tasks}. A task is in one split only, chosen by a hash of its name.",
        "",
        f"The longest row has {report.longest} characters. Set a trainer's `max_length` above what your tokenizer "
        "makes of it: TRL cuts or drops longer rows silently.",
        "",
        "## Columns",
        "",
        "Every row also has `task`, `suite`, `task_level`, `provenance` and `model`.",
        "",
    ]
    return [*lines, *(f"- {kind}: {columns}." for kind, columns in _COLUMNS.items())]
