"""The trace of a launch as nouns: what each core's scalar program issued, in program order (runtime/PROTOCOL.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

PIPES = ("S", "V", "MTE1", "MTE2", "MTE3", "M", "FIX")
"""Instruction queues of a core: V and MTE3 of a vector core, MTE1, M and FIX of a cube core."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    core: int = 0


class Access(BaseModel):
    """Bytes of one operand."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    memory: str
    """`GM:<argument>`, `UB`, or `SPR` for the registers that V leaves for S."""
    write: bool
    atomic: bool = False
    """A read-modify-write of global memory by an atomic store."""
    ranges: tuple[tuple[int, int], ...]
    """Byte ranges [begin, end), in the order of elements."""


class Issue(_Line):
    """An instruction given to its pipe, or a scalar access (pipe S)."""

    t: Literal["issue"] = "issue"
    api: str
    site: int = 0
    number: int
    pipe: str
    auto_sync: bool = False
    """Pipe S: a call that the compiler's automatic synchronisation covers."""
    accesses: tuple[Access, ...]


class Touch(_Line):
    """Bytes that its data led an instruction to."""

    t: Literal["touch"] = "touch"
    number: int
    accesses: tuple[Access, ...]


class SetFlag(_Line):
    """SetFlag of an event, by whatever call: queues set flags too."""

    t: Literal["set"] = "set"
    api: str = "SetFlag"
    site: int = 0
    event: str
    id: int


class WaitFlag(_Line):
    """WaitFlag of an event."""

    t: Literal["wait"] = "wait"
    api: str = "WaitFlag"
    site: int = 0
    event: str
    id: int


class Barrier(_Line):
    """Later instructions of a pipe wait for its earlier ones; with ALL the scalar program waits for every pipe."""

    t: Literal["barrier"] = "barrier"
    api: str = "PipeBarrier"
    site: int = 0
    pipe: str


class Stall(_Line):
    """The scalar program waits until a pipe has executed all that it was given."""

    t: Literal["stall"] = "stall"
    api: str = ""
    site: int = 0
    pipe: str


class Signal(_Line):
    """Tells other cores that all is complete which a pipe was given; S: which the program has come to."""

    t: Literal["signal"] = "signal"
    api: str = "CrossCoreSetFlag"
    site: int = 0
    pipe: str
    signal: str
    """Its name, which no other signal of the launch has."""
    to: tuple[int, ...] = ()
    """Cores that have to await it, where it is a flag."""


class Await(_Line):
    """The program, and all that it issues from here on, waits for signals."""

    t: Literal["await"] = "await"
    api: str = "CrossCoreWaitFlag"
    site: int = 0
    signals: tuple[str, ...]


class End(_Line):
    """The core's program came to its end."""

    t: Literal["end"] = "end"


Entry = Issue | SetFlag | WaitFlag | Barrier | Stall | Signal | Await
_Any = Issue | Touch | SetFlag | WaitFlag | Barrier | Stall | Signal | Await | End
_Record = Annotated[_Any, Field(discriminator="t")]
_ADAPTER: TypeAdapter[_Any] = TypeAdapter(_Record)


class Trace(BaseModel):
    """What one core issued."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    entries: tuple[Entry, ...]
    ended: bool = True
    """Whether the program came to its end; False where the launch was cut off."""


def read_traces(path: Path, cores: int = 1) -> tuple[Trace, ...]:
    """Read the traces of all cores of a launch.

    Raises:
        OSError: The file cannot be read.
        pydantic.ValidationError: A line is not in the form of the protocol.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(parse_trace(lines, core) for core in range(cores))


def joined(traces: Sequence[Trace]) -> Trace:
    """One trace with the entries of all cores, core by core; each core's own memories get names of their own."""
    if len(traces) == 1:
        return traces[0]
    entries: list[Entry] = []
    for core, trace in enumerate(traces):
        entries += [_own(entry, core) if isinstance(entry, Issue) else entry for entry in trace.entries]
    return Trace(entries=tuple(entries), ended=all(trace.ended for trace in traces))


def _own(issue: Issue, core: int) -> Issue:
    named = (
        a if a.memory.startswith("GM:") else a.model_copy(update={"memory": f"{a.memory}@{core}"})
        for a in issue.accesses
    )
    return issue.model_copy(update={"accesses": tuple(named), "core": core})


def parse_trace(lines: Iterable[str], core: int = 0) -> Trace:
    """Trace of one core from its lines; touched bytes join the instruction that touched them."""
    records = [record for line in lines if (record := _ADAPTER.validate_json(line)).core == core]
    touched: dict[int, tuple[Access, ...]] = {}
    for record in records:
        if isinstance(record, Touch):
            touched[record.number] = touched.get(record.number, ()) + record.accesses
    entries: list[Entry] = []
    for record in records:
        if isinstance(record, Issue):
            more = touched.get(record.number, ())
            entries.append(record.model_copy(update={"accesses": record.accesses + more}) if more else record)
        elif not isinstance(record, Touch | End):
            entries.append(record)
    return Trace(entries=tuple(entries), ended=any(isinstance(record, End) for record in records))
