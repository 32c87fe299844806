"""Runs of the fuzzers as a document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agentkernel.testing.fuzz.illegal import MUTATIONS
from agentkernel.testing.fuzz.tally import Tally

HEAD = """\
# Fuzzing the simulator

Written by `python -m agentkernel.testing.fuzz`; each part says with which command and how long it ran. A program is
made from a seed and its number alone, so that every finding can be repeated (`--only NUMBER`).
"""
LEGAL = "## Legal programs"
ILLEGAL = "## Illegal programs"
FOUND = "## Found and corrected"
_LEGAL_TEXT = """\
Random kernels that are right by construction: element types, alignment, repeats, masks, count and counter mode, queues,
flags and barriers, several blocks, tails. Each has to pass oracle and compiler, end, give no error, and hold the same
values in a second run, with the cores in another order where there are several. Outputs whose values a NumPy model
knows are compared with it: bit for bit (any NaN equals any NaN, zeros of both signs are equal), and within a tolerance
behind functions that are not rounded exactly. What the documents leave open (sums in other orders, fused rounding,
approximations of approximations) is not compared.
"""
_ILLEGAL_TEXT = """\
A legal program with exactly one rule broken. It has to be reported as an error with a code of the right family and,
where the rule concerns one line, with that line. The oracle is asked first, then the compiler, then a run.
"""
CORRECTED = (
    "A plain store to global memory next to an atomic one, with no barrier between them, was only remarked where the "
    "second one left the bytes as they were: the detector took it for storing the same values again. In the other "
    "order the result is another one; it is an error now.",
    "A finding of `set_flag` was shown at a call of `SetFlag` on a line before, because the name was looked for over "
    "the end of the statement.",
    "Of the fuzzer itself: the rule `store to an input` was also broken where the input was smaller than what was "
    "stored, which breaks a second rule (program 3960 of a run with seed 1).",
)
"""Faults of the project that the fuzzers have found, one sentence each."""


def part(kind: str, tally: Tally, minutes: float, seed: int) -> str:
    """The part of the document for a run."""
    rows = [
        LEGAL if kind == "legal" else ILLEGAL,
        "",
        _LEGAL_TEXT if kind == "legal" else _ILLEGAL_TEXT,
        f"`python -m agentkernel.testing.fuzz {kind} --minutes {minutes:g} --seed {seed}`",
        "",
        *(f"- {line}" for line in tally.summary().splitlines()),
        "",
        *(_functions(tally) if kind == "legal" else _rules(tally)),
    ]
    if tally.findings:
        rows += ["", "Open findings:", ""]
        rows += [f"- program {o.number}: {str(o.finding).splitlines()[0]}" for o in tally.findings]
    return "\n".join(rows) + "\n"


def write(path: Path, text: str) -> None:
    """Put a part into the document; the other one stays as it is."""
    parts = _parts(path.read_text(encoding="utf-8")) if path.exists() else {}
    parts[text.split("\n", 1)[0]] = text
    found = [HEAD, *(parts[key] for key in (LEGAL, ILLEGAL) if key in parts), corrected(CORRECTED)]
    path.write_text("\n".join(found), encoding="utf-8")


def corrected(sentences: Sequence[str]) -> str:
    """The last part of the document."""
    rows = [f"- {sentence}" for sentence in sentences]
    return "\n".join([FOUND, "", *rows]) + "\n"


def _parts(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for block in text.split("\n## ")[1:]:
        body = f"## {block.rstrip()}\n"
        found[body.split("\n", 1)[0]] = body
    return found


def _functions(tally: Tally) -> list[str]:
    rows = ["| function | forms | element types | calls |", "|---|---|---|---:|"]
    for name in sorted({api for api, _, _ in tally.uses}):
        uses = {key: count for key, count in tally.uses.items() if key[0] == name}
        forms = ", ".join(sorted({form for _, form, _ in uses}))
        types = ", ".join(sorted({dtype for _, _, dtype in uses if dtype}))
        rows.append(f"| {_cell(name)} | {forms} | {types} | {sum(uses.values())} |")
    return rows


def _rules(tally: Tally) -> list[str]:
    rows = ["| broken rule | expected code | programs | reported |", "|---|---|---:|---:|"]
    for mutation in MUTATIONS:
        missed = sum(o.mutation == mutation.name for o in tally.findings)
        count = tally.rules[mutation.name]
        codes = ", ".join(sorted(mutation.codes))
        rows.append(f"| {mutation.name} | {codes} | {count} | {count - missed} |")
    return rows


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
