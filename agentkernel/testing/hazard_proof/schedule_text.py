"""A schedule in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentkernel.testing.hazard_proof.machine import Event
from agentkernel.testing.hazard_proof.trace import Issue, Trace


def describe(schedule: Sequence[Event], trace: Trace, lines: Mapping[int, int]) -> str:
    """One line an event: pipe, call, its line in the source, and the bytes that it reads or writes."""
    issues = [entry for entry in trace.entries if isinstance(entry, Issue)]
    text = ""
    for event in schedule:
        issue = issues[event.work]
        places = [
            f"{access.memory}[{access.ranges[0][0]}:{access.ranges[-1][1]}]"
            for access in issue.accesses
            if access.write == event.write and access.ranges
        ]
        verb = "writes" if event.write else "reads"
        text += f"  {issue.pipe:4} {issue.api} (line {lines.get(issue.site, '?')}) {verb} {', '.join(places)}\n"
    return text
