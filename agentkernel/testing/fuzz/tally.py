"""What a run of a fuzzer has reached."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from agentkernel.testing.fuzz.finding import Outcome


@dataclass
class Tally:
    """Counts over the programs of a run."""

    programs: int = 0
    blocks: int = 0
    """Programs of more than one block."""
    compared: int = 0
    """Outputs whose values were compared with a model."""
    outputs: int = 0
    uses: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Calls in the programs by (function, form, element type)."""
    rules: Counter[str] = field(default_factory=Counter)
    """Programs by broken rule."""
    findings: list[Outcome] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Count a program."""
        self.programs += 1
        self.blocks += outcome.program.blocks > 1
        self.outputs += len(outcome.program.outputs)
        self.compared += outcome.values
        self.uses.update(outcome.program.used)
        if outcome.mutation:
            self.rules[outcome.mutation] += 1
        if outcome.finding is not None:
            self.findings.append(outcome)

    @property
    def functions(self) -> int:
        """Functions that were called."""
        return len({api for api, _, _ in self.uses})

    @property
    def forms(self) -> int:
        """Pairs of a function and a form."""
        return len({(api, form) for api, form, _ in self.uses})

    def summary(self) -> str:
        """Counts in a few lines."""
        lines = [
            f"{self.programs} programs ({self.blocks} of several blocks), {len(self.findings)} findings",
            f"{self.functions} functions, {self.forms} forms, {len(self.uses)} of them by element type, "
            f"{sum(self.uses.values())} calls",
        ]
        if self.rules:
            lines.append(f"{len(self.rules)} rules broken")
        else:
            lines.append(f"{self.compared} of {self.outputs} outputs compared with a model")
        return "\n".join(lines)
