"""Traces by hand: a line per entry.

MTE2 GM:x[0:4] -> UB[0:4]         an instruction; several operands are joined by +
S UB[0] ->                        a scalar read;  `raw S` for one that auto-sync does not cover
MTE3 UB[0:4] => GM:y[0:4]         an atomic store
set MTE2_V 0 / wait MTE2_V 0 / barrier V / barrier ALL / stall V
signal MTE3 name / await name name      between cores
"""

from __future__ import annotations

import re

from agentkernel.testing.hazard_proof.trace import (
    Access,
    Await,
    Barrier,
    Entry,
    Issue,
    SetFlag,
    Signal,
    Stall,
    Trace,
    WaitFlag,
)

_OPERAND = re.compile(r"([\w:]+)\[(\d+)(?::(\d+))?\]")


def _operands(text: str, *, write: bool, atomic: bool) -> list[Access]:
    found = []
    for memory, begin, end in _OPERAND.findall(text):
        last = int(end) if end else int(begin) + 1
        found.append(Access(memory=memory, write=write, atomic=write and atomic, ranges=((int(begin), last),)))
    return found


def trace(text: str, *, ended: bool = True) -> Trace:
    """Parse entries."""
    entries: list[Entry] = []
    for row in filter(None, (row.split("#")[0].strip() for row in text.splitlines())):
        words = row.split()
        if words[0] in ("set", "wait"):
            kind = SetFlag if words[0] == "set" else WaitFlag
            entries.append(kind(event=words[1], id=int(words[2])))
        elif words[0] == "signal":
            entries.append(Signal(pipe=words[1], signal=words[2]))
        elif words[0] == "await":
            entries.append(Await(signals=tuple(words[1:])))
        elif words[0] in ("barrier", "stall"):
            entries.append(Barrier(pipe=words[1]) if words[0] == "barrier" else Stall(pipe=words[1]))
        else:
            raw = words[0] == "raw"
            head, arrow, results = row.removeprefix("raw ").partition("=>" if "=>" in row else "->")
            pipe = head.split()[0]
            call, _, pipe = pipe.rpartition(".")
            accesses = _operands(head, write=False, atomic=False) + _operands(results, write=True, atomic=arrow == "=>")
            copies = "DataCopy" if pipe in ("MTE2", "MTE3") else "Op"
            entries.append(
                Issue(
                    api=call or copies,
                    number=len(entries),
                    pipe=pipe,
                    auto_sync=pipe == "S" and not raw,
                    accesses=tuple(accesses),
                )
            )
    return Trace(entries=tuple(entries), ended=ended)
