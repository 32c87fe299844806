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
"""Unified buffer of a vector core without its last 8 KiB, which Select and library calls use (facts: semantics 1)."""
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
_REPEATABLE = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.MAX, Op.MIN, Op.EXP, Op.ABS, Op.RELU, Op.ADDS, Op.MULS})
"""Instructions that the style may write in their mask and repeat form."""


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
    """Elements of a tile buffer; for SINGLE the longest row that the kernel is for, rounded up."""
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
    row_count: int = 1
    """Elements that an instruction on ROW values works on, but for BLOCK: one, or a repeat where they are compared."""

    @property
    def walk(self) -> Walk:
        """How the kernel walks its data."""
        return self.schedule.walk

    @property
    def is_static(self) -> bool:
        """Whether sizes and attributes are constants of the kernel."""
        return self.task.shape_mode is ShapeMode.STATIC

    @property
    def runtime_tile(self) -> bool:
        """Whether the tile's length is found at run time."""
        flat = self.walk is Walk.FLAT and not self.is_static
        return flat and self.style.runtime_tile and not self.style.one_buffer

    @property
    def queue_temps(self) -> bool:
        """Whether scratch comes from queues: their buffers take events beside those of the outputs."""
        at = [(buffer.place, buffer.is_row) for buffer in self.assignment.buffers]
        outputs = sum(place is Place.OUT for place, _ in at) * self.buffers_out
        fits = outputs + at.count((Place.TEMP, False)) <= MAX_EVENTS
        return fits and self.style.queue_temps and not self.style.one_buffer

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
    order = {Rows.SINGLE: Walk.SINGLE, Rows.BLOCK: Walk.BLOCK, Rows.CHUNKED: Walk.CHUNKED}
    walks = (Walk.FLAT,) if program.is_flat else (order[style.rows], Walk.BLOCK, Walk.SINGLE, Walk.CHUNKED)
    for walk in dict.fromkeys(walks):
        found = _Sizer(task, graph, program, style, walk=walk).run()
        if found is not None:
            return found
    raise Refusal("so many values at once", "their buffers or queues do not fit into the unified buffer and its events")


class _Sizer:
    """Finds buffers and tile of one walk."""

    def __init__(self, task: Task, graph: Graph, program: Program, style: Style, *, walk: Walk) -> None:
        self._task = task
        self._graph = graph
        self._program = program
        self._style = style
        self._walk = walk
        self._schedule = schedule(program, walk, hoist=style.hoist)
        self._assignment = assign(self._schedule, in_place=style.in_place)
        self._repeat_ops = self._chosen_repeat_ops()
        self._longest = self._longest_row() if program.split else 0
        self._reductions = sum(inst.op in REDUCTIONS for inst in program.insts)
        self._row_masks = any(v.storage is Storage.MASK and v.lane is Lane.ROW for v in program.values)
        self._fold = walk is Walk.BLOCK and self._longest > REPEAT_BYTES // 4 and self._reductions > 0

    def run(self) -> Plan | None:
        """The plan, or None where the walk does not fit."""
        if self._walk is Walk.BLOCK and not self._can_block():
            return None
        style = self._style
        for buffers in dict.fromkeys(((style.buffers_in, style.buffers_out), (1, 1))):
            tile = self._tile(self._room(buffers)) if self._has_events(buffers) else None
            if tile is not None:
                return self._plan(tile, buffers)
        return None

    def _plan(self, tile: int, buffers: tuple[int, int]) -> Plan:
        block = self._walk is Walk.BLOCK
        padded = self._program.padded or bool(self._repeat_ops)
        narrow = any(value.storage in (Storage.HALF, Storage.INT16) for value in self._program.values)
        return Plan(
            task=self._task,
            graph=self._graph,
            program=self._program,
            style=self._style,
            schedule=self._schedule,
            assignment=self._assignment,
            tile=tile,
            pad=(128 if narrow else 64) if padded else 1,
            buffers_in=buffers[0],
            buffers_out=buffers[1],
            repeat_ops=self._repeat_ops,
            max_rows=min(_MAX_ROWS, tile // self._pitch(1)) if block else 1,
            fold=self._fold,
            row_bytes=self._row_bytes,
            row_count=(128 if narrow else 64) if self._row_masks else 1,
        )

    # ---- rows --------------------------------------------------------------------------------------------------

    def _longest_row(self) -> int:
        """Elements of the longest row that the kernel is for."""
        dims = self._graph.space[len(self._graph.space) - self._program.split :]
        return math.prod(d if isinstance(d, int) else self._largest(d) for d in dims)

    def _largest(self, size: str) -> int:
        if size in self._task.sizes:
            return self._task.sizes[size].high
        return max(case.dims[size] for case in self._task.cases)

    def _can_block(self) -> bool:
        """Whether rows can lie at one pitch: one width in all tensors, no packed bits."""
        insts = self._program.insts
        widths = {
            (inst.dst or inst.values[0]).storage.bits
            for inst in insts
            if inst.op in (Op.LOAD, Op.STORE) and inst.lane is not Lane.ROW
        }
        real = {value.storage for inst in insts if inst.op in REDUCTIONS for value in inst.values}
        return len(widths) == 1 and not self._program.padded and real <= {Storage.FLOAT}

    def _pitch(self, length: int) -> int:
        """Distance between the rows of a BLOCK tile, in elements."""
        unit = row_unit(self._program)
        return -(-length // unit) * unit

    @property
    def _row_bytes(self) -> int:
        if self._walk is Walk.BLOCK:
            return _MAX_ROWS * 4
        return 2 * REPEAT_BYTES if self._row_masks else BLOCK_BYTES

    def _chosen_repeat_ops(self) -> frozenset[Op]:
        if not self._style.repeats or self._walk is Walk.BLOCK:
            return frozenset()
        return _REPEATABLE & {inst.op for inst in self._program.insts}

    # ---- memory ------------------------------------------------------------------------------------------------

    def _has_events(self, buffers: tuple[int, int]) -> bool:
        """Whether the queues of a position get by with its event ids, one per buffer in flight (facts: pitfalls 1)."""
        at = [buffer.place for buffer in self._assignment.buffers]
        ins = at.count(Place.IN) * buffers[0] + at.count(Place.HELD)
        return max(ins, at.count(Place.OUT) * buffers[1]) <= MAX_EVENTS

    def _room(self, buffers: tuple[int, int]) -> int:
        """Elements that a tile may have."""
        bits, fixed = self._scratch()
        times = {Place.IN: buffers[0], Place.OUT: buffers[1]}
        for buffer in self._assignment.buffers:
            count = times.get(buffer.place, 1)
            if buffer.is_row:
                fixed += count * self._row_bytes
            elif buffer.lane is Lane.VECTOR and self._walk is Walk.BLOCK:
                fixed += self._pitch(self._longest) * buffer.storage.bits // 8 + BLOCK_BYTES
            else:
                bits += count * buffer.storage.bits
                fixed += count * BLOCK_BYTES
        return (UB_BYTES - fixed) * 8 // bits

    def _scratch(self) -> tuple[int, int]:
        """Bits per element and bytes that reductions and spreading need."""
        bits, fixed = 0, REPEAT_BYTES
        if self._reductions:
            # work buffer: two floats per repeat of 64 elements, i.e. one bit per element
            bits += 1
            fixed += 3 * BLOCK_BYTES + self._reductions * self._row_bytes
            if self._walk is Walk.CHUNKED and self._style.fold:
                bits += 32 * self._reductions
        if self._fold:
            fixed += _MAX_ROWS * REPEAT_BYTES
        if self._walk is Walk.BLOCK:
            fixed += (_MAX_ROWS + 8) * BLOCK_BYTES
        return bits, fixed

    def _tile(self, room: int) -> int | None:
        most = _floor(room)
        if self._repeat_ops:
            most = min(most, _floor(MAX_REPEATS * 64))
        if most < _TILE_UNIT:
            return None
        wanted = max(_TILE_UNIT, _floor(int(most * self._style.tile)))
        match self._walk:
            case Walk.SINGLE:
                need = _ceil(self._longest)
                return need if need <= most else None
            case Walk.BLOCK:
                return self._block_tile(most, wanted)
            case Walk.CHUNKED:
                return min(wanted, _ceil(self._longest))
        return self._flat_tile(wanted)

    def _block_tile(self, most: int, wanted: int) -> int | None:
        pitch = self._pitch(self._longest)
        if pitch > min(most, _MAX_PITCH):
            return None
        full = _ceil(_MAX_ROWS * pitch)
        return min(most, max(full if self._style.tile == 1.0 else wanted, _ceil(pitch)))

    def _flat_tile(self, wanted: int) -> int:
        if self._style.split is Split.STRIDED:
            # tiles are dealt out in turn: small ones reach more cores
            wanted = min(wanted, _DEALT_TILE)
        if self._task.shape_mode is not ShapeMode.STATIC:
            return wanted
        case = self._task.cases[0]
        total = math.prod(d if isinstance(d, int) else case.dims[d] for d in self._graph.space)
        return min(wanted, _ceil(-(-total // self._task.block_dim)))


def row_unit(program: Program) -> int:
    """Elements at whose multiples the rows of a BLOCK tile begin: whole blocks of the full-size tensors' one width."""
    loads = (inst.dst for inst in program.insts if inst.op is Op.LOAD and inst.lane is Lane.FULL)
    bits = next(loaded.storage.bits for loaded in loads if loaded is not None)
    return BLOCK_BYTES * 8 // bits


def _floor(elements: int) -> int:
    return elements // _TILE_UNIT * _TILE_UNIT


def _ceil(elements: int) -> int:
    return -(-elements // _TILE_UNIT) * _TILE_UNIT
