"""Where the rules put what they find: once a place, and nothing from text that the compiler may not read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentkernel.diagnostic import Diagnostic, Level, Severity
from agentkernel.knowledge.oracle.typenames import Context

if TYPE_CHECKING:
    from tree_sitter import Node
_ENOUGH = 60
"""Findings of one kernel; nobody reads more, and a prompt shows far fewer."""


@dataclass(frozen=True)
class Finding:
    """One finding before it has a place."""

    code: str
    message: str
    hint: str = ""
    apis: tuple[str, ...] = ()
    severity: Severity = Severity.ERROR
    evidence: Mapping[str, object] = field(default_factory=dict)


class Reporter:
    """Collects diagnostics.

    Attributes:
        muted: Above 0 while the walk is inside text that the compiler perhaps does not read.
    """

    def __init__(self) -> None:
        self.muted = 0
        self._found: dict[tuple[str, str, int, int], Diagnostic] = {}

    @property
    def closed(self) -> bool:
        """Whether nothing more is taken, so that looking for the nearest names would be in vain."""
        return self.muted > 0 or len(self._found) >= _ENOUGH

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What was found, in order of finding."""
        return tuple(self._found.values())

    def add(self, node: Node, ctx: Context, finding: Finding) -> None:
        """Report a finding at a node, unless it was reported there already (for another instantiation)."""
        if self.closed:
            return
        key = (finding.code, ctx.file.name, node.start_byte, node.end_byte)
        if key not in self._found:
            self._found[key] = Diagnostic(
                code=finding.code,
                level=Level.API,
                message=finding.message,
                severity=finding.severity,
                location=ctx.file.location(node),
                hint=finding.hint,
                apis=finding.apis,
                evidence=dict(finding.evidence),
            )


def either(names: Iterable[str]) -> str:
    """Names in backticks, joined by `or`."""
    quoted = [f"`{n}`" for n in names]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " or " + quoted[-1]
