"""The packs as a document: idea, rule, expected finding, and whether it held."""

from __future__ import annotations

from collections.abc import Sequence

from agentkernel.testing.packs.run import Outcome

COMMAND = "python -m agentkernel.testing.packs --write docs/packs.md"


def document(wrong: Sequence[Outcome], legal: Sequence[Outcome]) -> str:
    """Text of docs/packs.md."""
    lines = [
        "# Packs of small kernels",
        "",
        f"Written by `{COMMAND}`; what held is of that run.",
        "",
        "Every kernel is ours, has one idea and is written from the documented rules of Ascend C alone. Its file says",
        "at its head what it shows, which arguments it gets and which values are right; `agentkernel.testing.packs`",
        "reads and judges it like any candidate.",
        "",
        "## Wrong kernels",
        "",
        f"{_held(wrong)}: the finding has the code and the line that the file asks for, and there is no other error",
        "but those that follow from it (`also:` in the file).",
        "",
        "| kernel | idea | expected | held |",
        "|---|---|---|---|",
    ]
    for outcome in wrong:
        expected = "; ".join(str(e) for e in outcome.kernel.expected)
        lines.append(_row("wrong", outcome, expected))
    lines += [
        "",
        "## Legal kernels",
        "",
        f"{_held(legal)}: no error, and every output equals its NumPy expression, bit by bit unless the file names a",
        "threshold of the precision standard.",
        "",
        "| kernel | idea | rule | held |",
        "|---|---|---|---|",
    ]
    lines += [_row("legal", outcome, outcome.kernel.fact) for outcome in legal]
    return "\n".join(lines) + "\n"


def _held(outcomes: Sequence[Outcome]) -> str:
    return f"{sum(o.held for o in outcomes)} of {len(outcomes)} held"


def _row(pack: str, outcome: Outcome, middle: str) -> str:
    kernel = outcome.kernel
    path = f"../tests/packs/{pack}/{kernel.name}" + (".cpp" if len(kernel.files) == 1 else "")
    cells = (f"[{kernel.name}]({path})", kernel.idea, middle, "yes" if outcome.held else "**no**")
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
