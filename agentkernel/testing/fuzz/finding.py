"""What a fuzzer finds, and the file that it is kept in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agentkernel.diagnostic import Diagnostic
from agentkernel.testing.fuzz.program import Program


@dataclass(frozen=True)
class Finding:
    """Something that should not be."""

    source: str
    """The program as a file of its own."""
    reason: str
    diagnostics: tuple[Diagnostic, ...]
    """What was reported."""

    def __str__(self) -> str:
        rows = [self.reason]
        for d in self.diagnostics[:6]:
            rows.append(f"  {d.code}{'' if d.location is None else f', line {d.location.line}'}: {d.message}")
        return "\n".join(rows)


@dataclass(frozen=True)
class Outcome:
    """One program that was tried."""

    number: int
    program: Program
    finding: Finding | None
    values: int = 0
    """Outputs that were compared with a model."""
    mutation: str = ""
    """Name of the rule that was broken."""


def keep(outcome: Outcome, kind: str, seed: int, folder: Path) -> Path:
    """Write a finding as a .cpp file.

    Args:
        outcome: One with a finding.
        kind: `legal` or `illegal`.
        seed: Of the fuzzer's run.
        folder: Where files go.
    """
    assert outcome.finding is not None
    program = outcome.program
    arguments = ", ".join(f"{g.name}: {g.dtype} {g.elements}" for g in (*program.inputs, *program.outputs))
    head = [
        *str(outcome.finding).splitlines(),
        *([f"broken rule: {outcome.mutation}"] if outcome.mutation else []),
        f"seed {seed}, program {outcome.number}; {program.blocks} blocks"
        f"{'' if program.autosync else ', without automatic synchronisation'}; {arguments}",
        f"repeat: python -m agentkernel.testing.fuzz {kind} --seed {seed} --only {outcome.number}",
        "(lines above count without this comment)",
    ]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{kind}_{seed}_{outcome.number}.cpp"
    path.write_text("".join(f"// {row}\n" for row in head) + "\n" + outcome.finding.source, encoding="utf-8")
    return path
