"""Tables of a run: CSV for programs, Markdown for people, and what changed between two of them."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import ValidationError

from agentkernel.bench.npukernelbench.cases import tier_of
from agentkernel.bench.npukernelbench.records import CaseRecord, Status
from agentkernel.errors import ConfigError

_FIELDS = tuple(CaseRecord.model_fields)
_MOST_REASONS = 40
_LONGEST = 220


def to_csv(records: Iterable[CaseRecord]) -> str:
    """One line per case."""
    out = io.StringIO()
    writer = csv.DictWriter(out, _FIELDS, lineterminator="\n")
    writer.writeheader()
    for record in records:
        values = record.model_dump(mode="json")
        writer.writerow({name: "" if values[name] is None else values[name] for name in _FIELDS})
    return out.getvalue()


def read_csv(path: Path) -> tuple[CaseRecord, ...]:
    """Read what `to_csv` wrote.

    Raises:
        ConfigError: It is no such table.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
        return tuple(CaseRecord.model_validate(_values(line)) for line in lines)
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path} is no table of this command: {error}", hint="give a file that --out wrote"
        ) from error


def _values(line: dict[str, str]) -> dict[str, object]:
    optional = {name for name, info in CaseRecord.model_fields.items() if info.default is None}
    return {name: None if name in optional and value == "" else value for name, value in line.items()}


def task_status(records: Sequence[CaseRecord]) -> str:
    """A task in one word: `pass` where all cases do that the benchmark makes and answers, else the common failure."""
    unusable = (Status.GENERATOR_ERROR, Status.REFERENCE_ERROR, Status.NO_ANSWER)
    usable = [r.status for r in records if r.status not in unusable]
    if not usable:
        return records[0].status.value if records else ""
    failures = Counter(status for status in usable if status is not Status.PASS)
    if not failures:
        return Status.PASS.value
    return failures.most_common(1)[0][0].value


def by_task(records: Iterable[CaseRecord]) -> dict[str, list[CaseRecord]]:
    """Records grouped by task, in the order of their first."""
    found: dict[str, list[CaseRecord]] = {}
    for record in records:
        found.setdefault(record.task, []).append(record)
    return found


def totals(records: Iterable[CaseRecord]) -> dict[str, int]:
    """Cases by status, in the order of `Status`."""
    counted = Counter(record.status for record in records)
    return {status.value: counted[status] for status in Status if counted[status]}


def to_markdown(records: Sequence[CaseRecord], *, title: str, command: str, about: Sequence[str] = ()) -> str:
    """The report: totals, tasks, reasons by how many tasks they touch."""
    grouped = by_task(records)
    words = Counter(task_status(group) for group in grouped.values())
    lines = [f"# {title}", "", f"Written by `{command}`.", *([""] if about else []), *(f"- {line}" for line in about)]
    lines += ["", "## Totals", "", "| | cases | tasks |", "|---|---|---|"]
    counted = totals(records)
    for status in Status:
        if counted.get(status) or words.get(status.value):
            lines.append(f"| {status.value} | {counted.get(status.value, 0)} | {words.get(status.value, 0)} |")
    lines += [f"| all | {len(records)} | {len(grouped)} |", ""]
    lines += [*_agreement(records), *_tiers(records), *_tasks(grouped), *_reasons(records)]
    return "\n".join(lines) + "\n"


def _agreement(records: Sequence[CaseRecord]) -> list[str]:
    both = [r for r in records if r.official is not None and r.ours is not None]
    pairs = Counter((r.official, r.ours) for r in both)
    lines = ["## The two judgements", "", "Cases that ran to their end, by what the benchmark's checker and ours say."]
    lines += ["", "| benchmark | ours | cases |", "|---|---|---|"]
    for official in (True, False):
        for ours in (True, False):
            word = {True: "right", False: "wrong"}
            lines.append(f"| {word[official]} | {word[ours]} | {pairs[(official, ours)]} |")
    return [*lines, ""]


def _tiers(records: Sequence[CaseRecord]) -> list[str]:
    sized = Counter(tier_of(r.elements) for r in records if r.elements >= 0)
    passed = Counter(tier_of(r.elements) for r in records if r.elements >= 0 and r.status is Status.PASS)
    lines = ["## Sizes", "", "| elements up to | cases | pass |", "|---|---|---|"]
    lines += [f"| {tier.value} | {sized[tier]} | {passed[tier]} |" for tier in sized]
    return [*lines, ""]


def _tasks(grouped: dict[str, list[CaseRecord]]) -> list[str]:
    lines = ["## Tasks", "", "| task | result | cases | pass | seconds | first reason |", "|---|---|---|---|---|---|"]
    for task, group in grouped.items():
        passed = sum(r.status is Status.PASS for r in group)
        word = task_status(group)
        first = next((r for r in group if r.status.value == word and r.status is not Status.PASS), None)
        reason = "" if first is None else _cell(f"{first.code} {first.reason} {first.place}")
        seconds = sum(r.seconds for r in group)
        lines.append(f"| {task} | {word} | {len(group)} | {passed} | {seconds:.0f} | {reason} |")
    return [*lines, ""]


def _reasons(records: Sequence[CaseRecord]) -> list[str]:
    tasks: dict[tuple[str, str, str], set[str]] = {}
    cases: Counter[tuple[str, str, str]] = Counter()
    for r in records:
        if r.status is not Status.PASS:
            key = (r.status.value, r.code, r.reason.split(":")[0][:80])
            tasks.setdefault(key, set()).add(r.task.rsplit("/", 1)[-1])
            cases[key] += 1
    lines = ["## Reasons", "", "| result | code | what | tasks | cases | e.g. |", "|---|---|---|---|---|---|"]
    for key in sorted(tasks, key=lambda one: (-len(tasks[one]), one))[:_MOST_REASONS]:
        status, code, what = key
        example = ", ".join(sorted(tasks[key])[:3])
        lines.append(f"| {status} | {code} | {_cell(what)} | {len(tasks[key])} | {cases[key]} | {example} |")
    return lines


def _cell(text: str) -> str:
    flat = " ".join(text.split()).replace("|", "\\|")
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 1] + "…"


def compare_tables(old: Sequence[CaseRecord], new: Sequence[CaseRecord]) -> str:
    """What changed between two runs: totals, and every case whose result is another one."""
    before, after = {r.key: r for r in old}, {r.key: r for r in new}
    counted = (totals(old), totals(new))
    lines = ["| | before | after |", "|---|---|---|"]
    for status in Status:
        numbers = [one.get(status.value, 0) for one in counted]
        if any(numbers):
            lines.append(f"| {status.value} | {numbers[0]} | {numbers[1]} |")
    moved = [key for key in before if key in after and before[key].status is not after[key].status]
    worse = [key for key in moved if before[key].status is Status.PASS]
    lines += ["", f"{len(moved)} cases changed, {len(worse)} of them passed before."]
    lines += [f"{len(after.keys() - before.keys())} are new, {len(before.keys() - after.keys())} are gone.", ""]
    for key in sorted(moved, key=lambda one: (one not in worse, one)):
        one = after[key]
        lines.append(f"- {key[0]} {key[1]}: {before[key].status} -> {one.status} {_cell(one.reason)}".rstrip())
    return "\n".join(lines) + "\n"
