"""Tiling: how a kernel walks its data, how large its tiles are, and what fits into the unified buffer."""

from __future__ import annotations

import math
from dataclasses import dataclass

from agentkernel.composer.buffers import Assignment, Place, assign
from agentkernel.composer.errors import Refusal
from agentkernel.composer.ir import REDUCTIONS, Lane, Op, Program, Storage
from agentkernel.composer.passes import Schedule, Walk, schedule
from agentkernel.composer.style import Rows, Split, Style
from agentkernel.formula.graph import Graph
from agentkernel.task import Dim, ShapeMode, Task

UB_BYTES = 184 * 1024
"""Unified buffer of a vector core without the 8 KiB at its end that Select and library calls use (facts: semantics 1)."""
BLOCK_BYTES = 32
REPEAT_BYTES = 256
MAX_REPEATS = 255
MAX_EVENTS = 8
"""Event ids of one kind on Atlas A2."""
_TILE_UNIT = 256
"""Tiles are whole multiples of this many elements, so that every type, packed bits included, ends on a block."""
_DEALT_TILE = 2048
"""Elements of a tile where tiles are dealt out in turn."""
_MAX_PITCH = 2040
"""Longest row, in float elements, whose pitch fits the 8-bit repeat stride (255 blocks of 8)."""
_MAX_ROWS = 64
"""Most rows of a BLOCK tile; one instruction repeats over them, so it must stay below 255."""


@dataclass(frozen=True)
class Plan:
    """Everything that is decided before code is written."""

    task: Task
    graph: Graph
    program: Program
    style: Style
    schedule: Schedule
    assignment: Assignment
    tile: int
    """Elements of a tile buffer; for SINGLE the longest row of the task's cases, rounded up."""
    pad: int
    """Counts of vector instructions are rounded up to a multiple of this; 1 where they are exact."""
    buffers_in: int
    buffers_out: int
    repeat_ops: frozenset[Op]
    """Instructions that are written in their mask and repeat form."""
    max_rows: int = 1
    """Most rows of a tile (BLOCK)."""
    fold: bool = False
    """Whether rows longer than one repeat are folded before they are reduced (BLOCK)."""
    row_bytes: int = BLOCK_BYTES
    """Size of a buffer of ROW values."""

    @property
    def walk(self) -> Walk:
        """How the kernel walks its data."""
        return self.schedule.walk

    @property
    def is_static(self) -> bool:
        """Whether sizes and attributes are constants of the kernel."""
        return self.task.shape_mode is ShapeMode.STATIC

    @property
    def row_dims(self) -> tuple[Dim, ...]:
        """Dimensions that make up a row."""
        return self.graph.space[len(self.graph.space) - self.program.split :]

    @property
    def lead_dims(self) -> tuple[Dim, ...]:
        """Dimensions that count rows; all of them for a flat kernel."""
        return self.graph.space[: len(self.graph.space) - self.program.split]

    @property
    def has_reductions(self) -> bool:
        """Whether some value is reduced over a row."""
        return any(inst.op in REDUCTIONS for inst in self.program.insts)


def plan(task: Task, graph: Graph, program: Program, style: Style) -> Plan:
    """Choose walk, buffers and tile.

    Raises:
        Refusal: Not even one block of every buffer fits.
    """
    if program.is_flat:
        return _sized(task, graph, program, style, Walk.FLAT) or _too_large()
    order = {Rows.SINGLE: Walk.SINGLE, Rows.BLOCK: Walk.BLOCK, Rows.CHUNKED: Walk.CHUNKED}
    for walk in dict.fromkeys((order[style.rows], Walk.BLOCK, Walk.SINGLE, Walk.CHUNKED)):
        found = _sized(task, graph, program, style, walk)
        if found is not None:
            return found
    return _too_large()


def _too_large() -> Plan:
    raise Refusal("so many values at once", "their buffers do not fit into the unified buffer")


def row_lengths(task: Task, graph: Graph, split: int) -> tuple[int, ...]:
    """Length of a row in every case."""
    dims = graph.space[len(graph.space) - split :]
    return tuple(math.prod(d if isinstance(d, int) else case.dims[d] for d in dims) for case in task.cases)


def _sized(task: Task, graph: Graph, program: Program, style: Style, walk: Walk) -> Plan | None:
    """The plan of a walk, or None where it does not fit."""
    if walk is Walk.BLOCK and not _can_block(program):
        return None
    ordered = schedule(program, walk, hoist=style.hoist)
    assignment = assign(ordered, in_place=style.in_place)
    repeat_ops = _repeat_ops(program, style, walk)
    padded = program.padded or bool(repeat_ops)
    narrow = any(value.storage in (Storage.HALF, Storage.INT16) for value in program.values)
    pad = (128 if narrow else 64) if padded else 1
    longest = max(row_lengths(task, graph, program.split)) if program.split else 0
    fold = walk is Walk.BLOCK and longest > REPEAT_BYTES // 4 and any(i.op in REDUCTIONS for i in program.insts)
    for buffers in dict.fromkeys(((style.buffers_in, style.buffers_out), (1, 1))):
        if not _has_events(assignment, buffers):
            continue
        room = _room(assignment, program, walk, buffers, style, fold, longest)
        tile = _tile(task, graph, program, style, walk, room, longest, pad, bool(repeat_ops))
        if tile is None:
            continue
        rows = min(_MAX_ROWS, tile // _pitch(program, 1)) if walk is Walk.BLOCK else 1
        return Plan(
            task=task,
            graph=graph,
            program=program,
            style=style,
            schedule=ordered,
            assignment=assignment,
            tile=tile,
            pad=pad,
            buffers_in=buffers[0],
            buffers_out=buffers[1],
            repeat_ops=repeat_ops,
            max_rows=rows,
            fold=fold,
            row_bytes=_MAX_ROWS * 4 if walk is Walk.BLOCK else BLOCK_BYTES,
        )
    return None


def _has_events(assignment: Assignment, buffers: tuple[int, int]) -> bool:
    """Whether the queues of a position get by with its event ids: one per buffer in flight (facts: pitfalls 1)."""
    at = [buffer.place for buffer in assignment.buffers]
    ins = at.count(Place.IN) * buffers[0] + at.count(Place.HELD)
    return max(ins, at.count(Place.OUT) * buffers[1]) <= MAX_EVENTS


def _room(
    assignment: Assignment, program: Program, walk: Walk, buffers: tuple[int, int], style: Style, fold: bool, longest: int
) -> int:
    """Elements that a tile may have."""
    bits, fixed = 0, 0
    row_bytes = _MAX_ROWS * 4 if walk is Walk.BLOCK else BLOCK_BYTES
    times = {Place.IN: buffers[0], Place.OUT: buffers[1]}
    for buffer in assignment.buffers:
        count = times.get(buffer.place, 1)
        if buffer.is_row:
            fixed += count * row_bytes
        elif buffer.lane is Lane.VECTOR and walk is Walk.BLOCK:
            fixed += _pitch(program, longest) * buffer.storage.bits // 8 + BLOCK_BYTES
        else:
            bits += count * buffer.storage.bits
            fixed += count * BLOCK_BYTES
    fixed += REPEAT_BYTES
    reductions = [inst for inst in program.insts if inst.op in REDUCTIONS]
    if reductions:
        # work buffer: two floats per repeat of 64 elements, i.e. one bit per element
        bits += 1
        fixed += 3 * BLOCK_BYTES + len(reductions) * row_bytes
        if walk is Walk.CHUNKED and style.fold:
            bits += 32 * len(reductions)
        if fold:
            fixed += _MAX_ROWS * REPEAT_BYTES
    if walk is Walk.BLOCK:
        fixed += (_MAX_ROWS + 8) * BLOCK_BYTES
    return (UB_BYTES - fixed) * 8 // bits


def _tile(
    task: Task,
    graph: Graph,
    program: Program,
    style: Style,
    walk: Walk,
    room: int,
    longest: int,
    pad: int,
    repeats: bool,
) -> int | None:
    most = room // _TILE_UNIT * _TILE_UNIT
    if repeats:
        most = min(most, MAX_REPEATS * 64 // _TILE_UNIT * _TILE_UNIT)
    if most < _TILE_UNIT:
        return None
    wanted = max(_TILE_UNIT, int(most * style.tile) // _TILE_UNIT * _TILE_UNIT)
    if walk is Walk.FLAT and style.split is Split.STRIDED:
        # tiles are dealt out in turn: small ones reach more cores
        wanted = min(wanted, _DEALT_TILE)
    if walk is Walk.SINGLE:
        need = -(-longest // _TILE_UNIT) * _TILE_UNIT
        return need if need <= most else None
    if walk is Walk.BLOCK:
        pitch = _pitch(program, longest)
        if pitch > min(most, _MAX_PITCH):
            return None
        full = -(-_MAX_ROWS * pitch // _TILE_UNIT) * _TILE_UNIT
        return min(most, max(full if style.tile == 1.0 else wanted, -(-pitch // _TILE_UNIT) * _TILE_UNIT))
    if walk is Walk.CHUNKED:
        return min(wanted, max(_TILE_UNIT, -(-longest // _TILE_UNIT) * _TILE_UNIT))
    totals = [math.prod(d if isinstance(d, int) else case.dims[d] for d in graph.space) for case in task.cases]
    share = -(-max(totals) // task.block_dim)
    if task.shape_mode is ShapeMode.STATIC:
        return min(wanted, -(-share // _TILE_UNIT) * _TILE_UNIT)
    return wanted


def _can_block(program: Program) -> bool:
    """Whether rows can lie at one pitch: one width in all tensors, no packed bits."""
    widths = {
        (inst.dst or inst.values[0]).storage.bits
        for inst in program.insts
        if inst.op in (Op.LOAD, Op.STORE) and inst.lane is not Lane.ROW
    }
    real = {value.storage for inst in program.insts if inst.op in REDUCTIONS for value in inst.values}
    return len(widths) == 1 and not program.padded and real <= {Storage.FLOAT}


def _pitch(program: Program, length: int) -> int:
    """Distance between the rows of a BLOCK tile, in elements."""
    bits = next(inst.dst.storage.bits for inst in program.insts if inst.op is Op.LOAD and inst.dst is not None)
    unit = BLOCK_BYTES * 8 // bits
    return -(-length // unit) * unit


def _repeat_ops(program: Program, style: Style, walk: Walk) -> frozenset[Op]:
    if not style.repeats or walk is Walk.BLOCK:
        return frozenset()
    present = {inst.op for inst in program.insts}
    return frozenset(
        op
        for op in (Op.ADD, Op.SUB, Op.MUL, Op.MAX, Op.MIN, Op.EXP, Op.ABS, Op.RELU, Op.ADDS, Op.MULS)
        if op in present
    )
