"""The detection matrix as a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from agentkernel.testing.evil.run import Outcome

COMMAND = "python -m agentkernel.testing.evil --write docs/evil.md"

_OPEN = """\
## What is left open

A candidate's device code shares its process with the runtime that watches it. Ordinary runs do not keep it from writing
over the runtime's memory through forged pointers, and so from falsifying hazards, findings and times; values are judged
elsewhere. A kernel that passes is therefore run once more with the runtime's memory sealed, on values and sizes that it
has not seen (`agentkernel.unseen`). What a kernel could still do there: write to the small block of thread-local data,
find the gates through which calls open the seal, or behave in that one run. The times of a passing kernel are as
trustworthy as that.

A host program runs in a process of its own, whose whole answer is the plan that it may make anyway.
"""


def document(outcomes: Sequence[Outcome]) -> str:
    """Text of docs/evil.md."""
    held = sum(one.held for one in outcomes)
    sides = Counter(one.program.side for one in outcomes)
    verdicts = Counter(one.verdict for one in outcomes)
    lines = [
        "# Hostile kernels and host programs",
        "",
        f"Written by `{COMMAND}`; what held is of that run.",
        "",
        "Each is ours and has one idea. It is judged as any candidate is, with the API oracle left out, since the",
        "walls have to hold without it; the last column says what the oracle would have said before anything was",
        "compiled. *Held* means: the verdict names what the file's first line expects, and nothing outside of the run",
        "was touched.",
        "",
        f"{held} of {len(outcomes)} held: {sides['kernel']} kernels and {sides['host']} host programs; verdicts: "
        + ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
        + ".",
        "",
    ]
    for category in sorted({one.program.category for one in outcomes}):
        lines += [f"## {category[0].upper()}{category[1:]}", "", _HEAD, _RULE]
        lines += [_row(one) for one in outcomes if one.program.category == category]
        lines.append("")
    return "\n".join(lines) + "\n" + _OPEN


_HEAD = "| program | idea | verdict | stopped by | finding | held | oracle |"
_RULE = "|---|---|---|---|---|---|---|"


def _row(one: Outcome) -> str:
    program = one.program
    path = f"../tests/evil/{program.side}s/{program.name}.cpp"
    cells = (
        f"[{program.name}]({path}) ({program.side})",
        program.idea,
        one.verdict,
        one.wall,
        ", ".join(one.codes),
        "yes" if one.held else "**no**",
        ", ".join(one.oracle),
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
