"""Every way to change the synchronisation of a kernel by one step."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from agentkernel.testing.hazard_proof.kernel import Line, MarkedKernel

KINDS = ("removed", "edge removed", "earlier", "later", "other id", "other event", "other pipe")
"""removed: one statement; edge removed: both ends of an edge; earlier, later: one statement past its neighbour;
other id: of one statement; other event: of both ends of an edge, which then ends in another pipe; other pipe: of a
barrier, or of a flag to other cores."""

_FLAG = re.compile(r"^(SetFlag|WaitFlag)<HardEvent::(\w+)>\((\d+)\);$")
_BARRIER = re.compile(r"^PipeBarrier<PIPE_(V|MTE1|MTE2|MTE3|M|FIX)>\(\);$")
_CROSS = re.compile(r"^CrossCoreSetFlag<([012]), PIPE_(V|MTE2|MTE3|FIX)>\((\d+)\);$")
_OTHER_EVENT = {"MTE2_V": "MTE2_MTE3", "V_MTE3": "V_MTE2", "MTE3_MTE2": "MTE3_V", "MTE2_MTE3": "MTE2_V",
                "V_MTE2": "V_MTE3", "MTE3_V": "MTE3_MTE2", "V_S": "V_MTE3", "S_V": "S_MTE3", "MTE2_S": "MTE2_V",
                "S_MTE3": "S_V", "MTE3_S": "MTE3_V", "S_MTE2": "S_V", "MTE2_MTE1": "MTE2_M", "MTE1_M": "MTE1_FIX",
                "M_FIX": "M_MTE1", "MTE1_MTE2": "MTE1_M", "M_MTE1": "M_FIX", "FIX_M": "FIX_MTE1",
                "FIX_MTE2": "FIX_M"}  # fmt: skip
"""An event that starts in the same pipe and ends in another."""
_OTHER_PIPE = {"V": "MTE3", "MTE2": "V", "MTE3": "MTE2", "MTE1": "MTE2", "M": "MTE1", "FIX": "MTE2"}
_SPARE_ID = 5
"""No kernel uses it."""


@dataclass(frozen=True)
class Mutant:
    """A kernel with one change."""

    kernel: MarkedKernel
    """The changed kernel, under the name of the unchanged one."""
    kind: str
    """One of KINDS."""
    statement: str
    """The statement that was changed."""
    place: int
    """Its place in the unchanged body, from 0."""


def mutants(kernel: MarkedKernel) -> list[Mutant]:
    """Mutants of a kernel, each text once."""
    seen = {kernel.body}
    found = []
    for mutant in _all(kernel):
        if mutant.kernel.body not in seen:
            seen.add(mutant.kernel.body)
            found.append(mutant)
    return found


def _all(kernel: MarkedKernel) -> Iterator[Mutant]:
    body = kernel.body
    edges: set[str] = set()
    for at, line in enumerate(body):
        if not line.sync:
            continue
        changed = [("removed", body[:at] + body[at + 1 :])]
        if at and not body[at - 1].is_block:
            changed.append(("earlier", (*body[: at - 1], line, body[at - 1], *body[at + 1 :])))
        if at + 1 < len(body) and not body[at + 1].is_block:
            changed.append(("later", (*body[:at], body[at + 1], line, *body[at + 2 :])))
        if flag := _FLAG.match(line.text):
            other = replace(line, text=f"{flag[1]}<HardEvent::{flag[2]}>({_SPARE_ID});")
            changed.append(("other id", (*body[:at], other, *body[at + 1 :])))
        if wall := _BARRIER.match(line.text):
            other = replace(line, text=f"PipeBarrier<PIPE_{_OTHER_PIPE[wall[1]]}>();")
            changed.append(("other pipe", (*body[:at], other, *body[at + 1 :])))
        if cross := _CROSS.match(line.text):
            mode, name = cross[1], cross[2]
            pipe = replace(line, text=f"CrossCoreSetFlag<{mode}, PIPE_{_OTHER_PIPE[name]}>({cross[3]});")
            number = replace(line, text=f"CrossCoreSetFlag<{mode}, PIPE_{name}>({_SPARE_ID});")
            changed.append(("other pipe", (*body[:at], pipe, *body[at + 1 :])))
            changed.append(("other id", (*body[:at], number, *body[at + 1 :])))
        if line.edge and line.edge not in edges:
            edges.add(line.edge)
            changed.append(("edge removed", tuple(other for other in body if other.edge != line.edge)))
            if flag:
                changed.append(("other event", tuple(_with_other_event(other, line.edge) for other in body)))
        for kind, lines in changed:
            yield Mutant(kernel=replace(kernel, body=lines), kind=kind, statement=line.text, place=at)


def _with_other_event(line: Line, edge: str) -> Line:
    flag = _FLAG.match(line.text)
    if line.edge != edge or flag is None:
        return line
    return replace(line, text=f"{flag[1]}<HardEvent::{_OTHER_EVENT[flag[2]]}>({_SPARE_ID});")
