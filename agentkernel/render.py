"""Diagnostics and verdicts in words: one form for a model, one for a person.

Both forms show the source line that a finding points at. The person's form adds a caret and a table of cases; the
model's form is compact and numbered, with the typed facts of each finding. Text of a candidate may hold anything, so
control characters are shown as escapes and never reach a terminal or a prompt as themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from agentkernel.diagnostic import Diagnostic, Level, Location
from agentkernel.kernel import Kernel
from agentkernel.verdict import CaseResult, Stage, Verdict

# C0 and C1 controls except tab and newline, and the marks that reorder text on a terminal
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_VALUE_CHARS = 300
"""Characters of one evidence value that are shown: a value or a short list, not a log."""
_CASE_NAMES = 4
"""Names of cases that are spelled out; the others are counted."""


class Finding(BaseModel):
    """A diagnostic with the cases that it was met in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    diagnostic: Diagnostic
    cases: tuple[str, ...] = ()
    """Empty where it belongs to no case."""


def findings_of(verdict: Verdict) -> tuple[Finding, ...]:
    """Findings of a verdict in its order, the same finding in several cases merged into one, errors first.

    Two diagnostics are the same if code, place and further places agree; where there is no place, the words must agree.
    """
    merged: dict[tuple[object, ...], tuple[Diagnostic, list[str]]] = {}
    for case, diagnostic in _with_case(verdict):
        _, cases = merged.setdefault(_identity(diagnostic), (diagnostic, []))
        if case and case not in cases:
            cases.append(case)
    found = [Finding(diagnostic=d, cases=tuple(cases)) for d, cases in merged.values()]
    return tuple(sorted(found, key=lambda f: not f.diagnostic.is_error))


def for_model(
    findings: Iterable[Finding | Diagnostic], kernel: Kernel | None = None, *, limit: int | None = None
) -> str:
    """Findings as a numbered list that a model reads: place, source line, what is wrong, hint, facts.

    Args:
        findings: In the order to show.
        kernel: Source that the locations count in; without it source lines are left out.
        limit: Number of findings that are spelled out; the others are counted by code, never dropped silently.
    """
    given = [_as_finding(f) for f in findings]
    shown = given if limit is None else given[:limit]
    blocks = [_model_block(number, finding, kernel) for number, finding in enumerate(shown, start=1)]
    rest = given[len(shown) :]
    if rest:
        blocks.append(f"... and {len(rest)} more: {_counted(rest)}.")
    return "\n\n".join(blocks)


def for_person(findings: Iterable[Finding | Diagnostic], kernel: Kernel | None = None) -> str:
    """Findings as a compiler prints them, with source excerpt and caret.

    Args:
        findings: In the order to show.
        kernel: Source that the locations count in; without it excerpts are left out.
    """
    return "\n\n".join(_person_block(_as_finding(f), kernel) for f in findings)


def verdict_for_person(verdict: Verdict, kernel: Kernel | None = None) -> str:
    """A verdict as text: findings, the table of cases, and a line that says how it ended and where times are from."""
    parts = [for_person(findings_of(verdict), kernel), _case_table(verdict), _last_line(verdict)]
    return "\n\n".join(part for part in parts if part)


def case_lines(verdict: Verdict) -> tuple[str, ...]:
    """One line a case: name, result, distance of each output from the reference."""
    return tuple(_clean(f"{case.case}: {_case_state(case)}{_errors(case)}") for case in verdict.cases)


def _with_case(verdict: Verdict) -> Iterable[tuple[str, Diagnostic]]:
    for diagnostic in verdict.diagnostics:
        yield "", diagnostic
    for case in verdict.cases:
        for diagnostic in case.diagnostics:
            yield case.case, diagnostic


def _identity(d: Diagnostic) -> tuple[object, ...]:
    place = None if d.location is None else str(d.location)
    others = tuple(str(location) for location, _ in d.related)
    # what a kernel prints is another thing in every case
    text = d.message if place is None or d.code == "kernel-prints" else ""
    return (d.code, d.severity, place, others, text)


def _as_finding(item: Finding | Diagnostic) -> Finding:
    return item if isinstance(item, Finding) else Finding(diagnostic=item)


def _counted(findings: Sequence[Finding]) -> str:
    counts: dict[str, int] = {}
    for finding in findings:
        counts[finding.diagnostic.code] = counts.get(finding.diagnostic.code, 0) + 1
    return ", ".join(f"{code} x {count}" for code, count in counts.items())


def _model_block(number: int, finding: Finding, kernel: Kernel | None) -> str:
    d = finding.diagnostic
    place = f" at {d.location}" if d.location is not None else ""
    lines = [f"{number}. {d.severity} {d.code} ({d.level}){place}", *_numbered_line(d.location, kernel), d.message]
    for location, what in d.related:
        lines += [f"See {location}: {what}", *_numbered_line(location, kernel)]
    if d.hint:
        lines.append(f"Hint: {d.hint}")
    if finding.cases:
        lines.append(f"Cases: {_names(finding.cases)}")
    lines += _facts(d)
    first, *rest = (line for text in lines for line in _clean(text).split("\n"))
    return "\n".join([first, *(f"   {line}" for line in rest)])


def _numbered_line(location: Location | None, kernel: Kernel | None) -> list[str]:
    line = _source_line(location, kernel)
    return [] if location is None or line is None else [f"{location.line} | {line.rstrip()}"]


def _person_block(finding: Finding, kernel: Kernel | None) -> str:
    d = finding.diagnostic
    lines = [f"{d.severity}[{d.code}]: {_clean(d.message)}"]
    if d.location is not None:
        lines += _excerpt(d.location, kernel)
    for location, what in d.related:
        lines += [f"  note: {_clean(what)}", *_excerpt(location, kernel)]
    if finding.cases:
        lines.append(f"  cases: {_clean(_names(finding.cases))}")
    lines += [f"  {_clean(fact)}" for fact in _facts(d)]
    if d.hint:
        lines.append(f"  hint: {_clean(d.hint)}")
    return "\n".join(lines)


def _excerpt(location: Location, kernel: Kernel | None) -> list[str]:
    """The place, its source line, and carets under the columns in question."""
    line = _source_line(location, kernel)
    head = f"  --> {_clean(str(location))}"
    if line is None:
        return [head]
    number = str(location.line)
    gutter = " " * len(number)
    shown = [head, f"{gutter} |", f"{number} | {_clean(line)}"]
    if location.column is not None and location.column <= len(line) + 1:
        start = location.column - 1
        end = max(start + 1, (location.end_column or 0) - 1)
        # the text before is measured as it is shown, and tabs stay tabs, so that the caret stands under its column
        pad = re.sub(r"[^\t]", " ", _clean(line[:start]))
        shown.append(f"{gutter} | {pad}{'^' * max(1, len(_clean(line[start:end])))}")
    return shown


def _source_line(location: Location | None, kernel: Kernel | None) -> str | None:
    if location is None or kernel is None or location.file not in kernel.files:
        return None
    lines = kernel.files[location.file].split("\n")
    return lines[location.line - 1].rstrip("\r") if location.line <= len(lines) else None


def _case_table(verdict: Verdict) -> str:
    if not verdict.cases:
        return ""
    width = max(len(case.case) for case in verdict.cases)
    rows = []
    for case in verdict.cases:
        time = f"  {case.estimate.kernel_us:.2f} us {case.estimate.provenance}" if case.estimate is not None else ""
        rows.append(f"  {case.case:<{width}}  {_case_state(case):<6}{time}{_errors(case)}")
    return _clean("\n".join(["cases", *rows]))


def _case_state(case: CaseResult) -> str:
    return "passed" if case.passed else "FAILED"


def _errors(case: CaseResult) -> str:
    parts = []
    for e in case.errors:
        wrong = f", {e.mismatched} of {e.total} elements wrong" if e.mismatched else ""
        parts.append(f"{e.output}: MERE {e.mean_relative:.2e}, MARE {e.max_relative:.2e} (t {e.threshold:.2e}){wrong}")
    return "  " + "; ".join(parts) if parts else ""


def _last_line(verdict: Verdict) -> str:
    where = f"{verdict.toolchain}, {verdict.provenance}"
    if verdict.passed:
        time = f", {verdict.kernel_us:.2f} us" if verdict.kernel_us is not None else ""
        return f"passed: {len(verdict.cases)} of {len(verdict.cases)} cases ({where}{time})"
    passed = sum(case.passed for case in verdict.cases)
    count = f", {passed} of {len(verdict.cases)} cases passed" if verdict.cases else ""
    if verdict.outcome == "cheat":
        codes = dict.fromkeys(d.code for d in verdict.all_diagnostics if d.is_error and d.level is Level.CHEAT)
        return f"cheat: {_names(tuple(codes))}{count} ({where})"
    return f"failed {_why(verdict)}{count} ({where})"


def _why(verdict: Verdict) -> str:
    """What failed it: where it ended, or, if it ran to its end, its numbers or what was seen beside them."""
    found = [d for _, d in _with_case(verdict) if d.is_error]
    if verdict.stage is not Stage.VERIFY or not found or any(d.level is Level.NUMERIC for d in found):
        return f"at {_STAGE_WORDS[verdict.stage]}"
    codes = tuple(dict.fromkeys(d.code for d in found))
    judged = all(case.errors for case in verdict.cases)
    agree = judged and not any(error.mismatched for case in verdict.cases for error in case.errors)
    right = " (the values agree with the reference)" if agree and "output-not-written" not in codes else ""
    return f"by {_names(codes)}{right}"


_STAGE_WORDS = {
    Stage.EXTRACT: "taking the kernel out of the answer",
    Stage.CHECK: "the API check",
    Stage.COMPILE: "compiling",
    Stage.RUN: "running",
    Stage.VERIFY: "comparing with the reference",
}


def _names(cases: Sequence[str]) -> str:
    shown = ", ".join(cases[:_CASE_NAMES])
    return shown if len(cases) <= _CASE_NAMES else f"{shown} and {len(cases) - _CASE_NAMES} more"


def _facts(d: Diagnostic) -> list[str]:
    """The evidence that the message does not tell already, one line a fact."""
    told = {key: value for key, value in d.evidence.items() if key not in _TOLD and value not in (None, [], {}, "")}
    return [f"{key.replace('_', ' ')}: {_value(value)}" for key, value in told.items() if value is not False]


_TOLD = frozenset(
    {"case", "output", "shape", "dtype", "mismatched", "total", "where", "look", "name"}  # in the message or the task
    | {"mean_relative_error", "max_relative_error", "threshold"}  # in the line of the case
)


def _value(value: Any) -> str:
    text = _words(value)
    return text if len(text) <= _VALUE_CHARS else f"{text[:_VALUE_CHARS]}... ({len(text)} characters)"


def _words(value: Any) -> str:
    """JSON data as a person would write it down."""
    match value:
        case {"index": list(index), "expected": expected, "got": got, **rest} if not rest:
            return f"{_words(index)} expected {_words(expected)}, got {_words(got)}"
        case dict():
            return ", ".join(f"{key} {_words(part)}" for key, part in value.items())
        case list():
            parts = [_words(part) for part in value]
            return "; ".join(parts) if any(isinstance(part, dict) for part in value) else f"[{', '.join(parts)}]"
        case float():
            return f"{value:.6g}"
        case _:
            return str(value)


def _clean(text: str) -> str:
    """The text with control characters as escapes."""
    return _CONTROL.sub(lambda m: m.group().encode("unicode_escape").decode("ascii"), text)
