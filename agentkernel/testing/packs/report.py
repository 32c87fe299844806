"""The packs as a document: idea, rule, expected finding, and whether it held."""

from __future__ import annotations

from collections.abc import Sequence

from agentkernel.testing.packs.kernel import PackKernel

COMMAND = "python -m agentkernel.testing.packs --write docs/packs.md"


Held = tuple[PackKernel, bool]
"""A kernel, and whether what it promises held."""


def document(wrong: Sequence[Held], legal: Sequence[Held]) -> str:
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
    for kernel, held in wrong:
        lines.append(_row("wrong", kernel, "; ".join(str(e) for e in kernel.expected), held))
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
    lines += [_row("legal", kernel, kernel.fact, held) for kernel, held in legal]
    return "\n".join(lines) + "\n"


def _held(kernels: Sequence[Held]) -> str:
    return f"{sum(held for _, held in kernels)} of {len(kernels)} held"


def _row(pack: str, kernel: PackKernel, middle: str, held: bool) -> str:
    path = f"../tests/packs/{pack}/{kernel.name}" + (".cpp" if len(kernel.files) == 1 else "")
    cells = (f"[{kernel.name}]({path})", kernel.idea, middle, "yes" if held else "**no**")
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
