"""Buffers: every value gets a place in local memory, shared by values whose lives do not overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agentkernel.composer.ir import BINARY, UNARY, WITH_SCALAR, Inst, Lane, Op, Storage, Value
from agentkernel.composer.passes import Schedule, Walk


class Place(StrEnum):
    """What kind of memory a buffer is."""

    IN = "in"
    """Tensor of an input queue, filled per tile."""
    HELD = "held"
    """Tensor of an input queue that is filled once and kept."""
    OUT = "out"
    """Tensor of an output queue."""
    TEMP = "temp"
    """Scratch of a tile."""
    CONSTANT = "constant"
    """Computed once and kept."""


@dataclass(frozen=True)
class Buffer:
    """One buffer."""

    place: Place
    storage: Storage
    lane: Lane
    """Which values it holds; VECTOR only for what is computed once."""
    index: int = 0
    """Number among the buffers of its place, storage and lane."""
    name: str = ""
    """Tensor of an IN, HELD or OUT."""

    @property
    def is_row(self) -> bool:
        """Whether it holds one number per row instead of one per element."""
        return self.lane is Lane.ROW


@dataclass(frozen=True)
class Assignment:
    """Where values live."""

    homes: tuple[dict[Value, Buffer], ...]
    """By pass: buffer of every value that only this pass defines."""
    shared: dict[Value, Buffer]
    """Buffers of values that are valid in every pass."""

    def home(self, index: int, value: Value) -> Buffer:
        """Buffer of a value in a pass."""
        found = self.shared.get(value)
        return found if found is not None else self.homes[index][value]

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """All of them, each once."""
        found = dict.fromkeys(self.shared.values())
        for home in self.homes:
            found.update(dict.fromkeys(home.values()))
        return tuple(found)


def assign(schedule: Schedule, *, in_place: bool) -> Assignment:
    """Give every value a buffer.

    Args:
        schedule: The ordered program.
        in_place: Whether a result may take the buffer of an operand that dies with it (and scratch the buffers of
            finished inputs and not yet begun outputs).
    """
    later = {v for part in schedule.passes for inst in (*part.insts, *part.after) for v in inst.values}
    once = [[inst] for inst in schedule.once]
    ends = {value: end for value, end in _ends(once).items() if value not in later}
    shared = _Scan(once, ends, temp=Place.CONSTANT, load=Place.HELD, in_place=False).run(lambda inst: True)
    if schedule.walk is not Walk.CHUNKED:
        steps = [[inst] for inst in schedule.passes[0].insts]
        scan = _Scan(steps, _ends(steps), temp=Place.TEMP, load=Place.IN, in_place=in_place)
        return Assignment((scan.run(lambda inst: True),), shared)
    homes = []
    for part in schedule.passes:
        steps = [[inst] for inst in part.insts]
        scan = _Scan(steps, _ends(steps), temp=Place.TEMP, load=Place.IN, in_place=in_place)
        homes.append(scan.run(lambda inst: not _gives_row(inst)))
    # for ROW values a whole pass is one step, as it repeats its instructions
    steps = [[inst] for inst in schedule.before]
    for part in schedule.passes:
        steps.append(list(part.insts))
        steps.extend([inst] for inst in part.after)
    steps.extend([inst] for inst in schedule.after)
    rows = _Scan(steps, _ends(steps), temp=Place.TEMP, load=Place.IN, in_place=in_place)
    shared.update(rows.run(_gives_row))
    return Assignment(tuple(homes), shared)


def allows_in_place(inst: Inst) -> bool:
    """Whether the result may coincide with an operand of the same width."""
    if inst.op is Op.CAST:
        source = inst.args[0]
        return isinstance(source, Value) and inst.dst is not None and source.storage.bits == inst.dst.storage.bits
    return inst.op in UNARY or inst.op in BINARY or inst.op in WITH_SCALAR


def _gives_row(inst: Inst) -> bool:
    return inst.dst is not None and inst.dst.lane is Lane.ROW


def _ends(steps: Sequence[Sequence[Inst]]) -> dict[Value, float]:
    """Step at which every value is read for the last time."""
    return {value: at for at, step in enumerate(steps) for inst in step for value in inst.values}


class _Scan:
    """A linear scan over steps; a buffer is free where the life of its last value has ended."""

    def __init__(
        self,
        steps: Sequence[Sequence[Inst]],
        ends: dict[Value, float],
        *,
        temp: Place,
        load: Place,
        in_place: bool,
    ) -> None:
        self._steps = steps
        self._ends = ends
        self._temp, self._load, self._in_place = temp, load, in_place
        self._homes: dict[Value, Buffer] = {}
        self._until: dict[Buffer, float] = {}
        self._outputs: dict[Value, str] = {}
        for step in steps:
            for inst in step:
                if inst.op is Op.STORE:
                    self._outputs[inst.values[0]] = inst.name
        self._defined = {inst.dst: (at, inst) for at, step in enumerate(steps) for inst in step if inst.dst is not None}

    def run(self, wanted: object) -> dict[Value, Buffer]:
        """Homes of the results of all instructions that `wanted` accepts."""
        assert callable(wanted)
        for at, step in enumerate(self._steps):
            for inst in step:
                if inst.dst is not None and wanted(inst):
                    home = self._home(inst, inst.dst, at)
                    self._homes[inst.dst] = home
                    self._until[home] = self._ends.get(inst.dst, math.inf)
        return self._homes

    def _home(self, inst: Inst, dst: Value, at: int) -> Buffer:
        lane = self._lane(dst)
        if inst.op is Op.LOAD:
            return Buffer(self._load, dst.storage, lane, name=inst.name)
        if dst in self._outputs:
            return self._output(dst)
        if inst.op is Op.AXPY:
            return self._homes[inst.values[0]]
        if self._in_place:
            taken = self._operand(inst, dst, at) or self._spare(dst, at)
            if taken is not None:
                return taken
        index = 0
        while True:
            temp = Buffer(self._temp, dst.storage, lane, index)
            if self._until.get(temp, -1) < at:
                return temp
            index += 1

    def _lane(self, value: Value) -> Lane:
        # within a piece of a row one row for all rows and one number per element are alike
        return Lane.FULL if value.lane is Lane.VECTOR and self._temp is Place.TEMP else value.lane

    def _output(self, value: Value) -> Buffer:
        return Buffer(Place.OUT, value.storage, self._lane(value), name=self._outputs[value])

    def _operand(self, inst: Inst, dst: Value, at: int) -> Buffer | None:
        """The buffer of an operand that dies here."""
        if not allows_in_place(inst):
            return None
        for value in inst.args:
            if not isinstance(value, Value) or value not in self._homes:
                continue
            home = self._homes[value]
            same = home.storage is dst.storage and home.lane is self._lane(dst)
            if same and self._until[home] == at == self._ends.get(value) and self._may_hold(home, dst):
                return home
        return None

    def _spare(self, dst: Value, at: int) -> Buffer | None:
        """The buffer of a finished input, or of an output that is not begun yet."""
        lane = self._lane(dst)
        for home, until in self._until.items():
            if home.place is Place.IN and until < at and home.storage is dst.storage and home.lane is lane:
                return home
        for value in self._outputs:
            if value not in self._defined or value.storage is not dst.storage or self._lane(value) is not lane:
                continue
            home = self._output(value)
            if self._until.get(home, -1) < at and self._may_hold(home, dst):
                return home
        return None

    def _may_hold(self, home: Buffer, dst: Value) -> bool:
        """Whether scratch may live in an output's buffer: until the output is defined, then only as its operand."""
        if home.place is not Place.OUT:
            return True
        owner = next(value for value, name in self._outputs.items() if name == home.name)
        begins, inst = self._defined[owner]
        end = self._ends.get(dst, math.inf)
        return end < begins or (end == begins and dst in inst.args and allows_in_place(inst))
