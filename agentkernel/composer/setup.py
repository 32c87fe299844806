"""Init: sizes of this core's part, global tensors, queues and buffers."""

from __future__ import annotations

from agentkernel.composer.buffers import Buffer, Place
from agentkernel.composer.code import Code
from agentkernel.composer.context import Context
from agentkernel.composer.ir import Lane, Op, ScalarOp
from agentkernel.composer.passes import Walk
from agentkernel.composer.sizes import Sizes, scalars_of
from agentkernel.composer.split import Divider
from agentkernel.composer.stages import Stages
from agentkernel.composer.style import Layout
from agentkernel.composer.tiling import BLOCK_BYTES, row_unit

_ALIGN = 256
"""Elements at whose multiples a core's part of a flat kernel begins: whole blocks in every type, 512 bytes in 16 bit
(global addresses at 512 bytes are fastest)."""


class Setup:
    """Writes Init.

    Args:
        context: Names and members.
        sizes: Spelling of sizes.
        stages: What the stages need, e.g. scratch of reductions.
    """

    def __init__(self, context: Context, sizes: Sizes, stages: Stages) -> None:
        self._c = context
        self._plan = context.plan
        self._walk = context.plan.walk
        self._sizes = sizes
        self._stages = stages

    def write(self, code: Code) -> None:
        """The body of Init."""
        c, plan = self._c, self._plan
        flat = self._walk is Walk.FLAT
        self._set_scalars(code)
        if flat:
            total = self._sizes.declare(code, "totalLength", "total length", plan.graph.space, member=False)
        else:
            total = self._sizes.declare(code, "totalRows", "total rows", plan.lead_dims, member=False)
            self._sizes.declare(code, "rowLength", "row length", plan.row_dims, member=True)
        divider = Divider(c, _ALIGN if flat else 1)
        divider.write(code, total, self._sizes.mine)
        with code.block(f"if ({self._sizes.mine} == 0)"):
            code.add("return;")
        self._shape_rows(code)
        if self._plan.runtime_tile:
            part, most = f"({self._sizes.mine} + {_ALIGN - 1}) / {_ALIGN} * {_ALIGN}", self._sizes.max_tile
            code.add(f"{self._sizes.tile} = {part};")
            with code.block(f"if ({self._sizes.tile} > {most})"):
                code.add(f"{self._sizes.tile} = {most};")
        self._globals(code, divider)
        self._elements(code)
        ins = Code()
        outs = Code()
        self._queues(ins, outs)
        code.include(outs if c.style.last_first else ins).include(ins if c.style.last_first else outs)
        self._scratch(code)

    def _set_scalars(self, code: Code) -> None:
        """Keep the attributes and sizes that the formula reads."""
        c = self._c
        if c.style.layout is Layout.ENTRY:
            return
        source = "tiling." if c.style.tiling_by_ref else ""
        for op, name in scalars_of(self._plan):
            if op is not ScalarOp.ELEMENT and not c.is_row_length(op, name):
                code.add(f"{c.variable(op, name)} = {source}{name};")

    def _shape_rows(self, code: Code) -> None:
        c = self._c
        if self._walk is Walk.SINGLE and not self._plan.is_static:
            unit = max(self._plan.pad, 64)
            code.add(f"{c.number('rowAligned')} = ({self._sizes.row_length} + {unit - 1}) / {unit} * {unit};")
        if self._walk is Walk.BLOCK:
            unit = row_unit(self._plan.program)
            most = c.constant("max rows", self._plan.max_rows)
            code.add(f"{self._sizes.pitch} = ({self._sizes.row_length} + {unit - 1}) / {unit} * {unit};")
            fits = f"{self._sizes.tile} / {self._sizes.pitch}"
            code.add(f"{self._sizes.rows_per_tile} = {fits} < {most} ? {fits} : {most};")

    def _globals(self, code: Code, divider: Divider) -> None:
        c, plan = self._c, self._plan
        flat = self._walk is Walk.FLAT
        amount = self._sizes.mine
        lanes = {(inst.name): inst.lane for inst in plan.program.insts if inst.op in (Op.LOAD, Op.STORE)}
        for tensor in (*plan.task.inputs, *plan.task.outputs):
            lane = lanes.get(tensor.name)
            if lane is None:
                continue
            start, size = "", amount
            if lane is Lane.VECTOR:
                size = self._sizes.row_length
            elif divider.has_start:
                start = (
                    f" + {divider.start}"
                    if flat or lane is Lane.ROW
                    else f" + {divider.start} * {self._sizes.row_length}"
                )
            if lane is Lane.FULL and not flat:
                size = f"{amount} * {self._sizes.row_length}"
            pointer = f"(__gm__ {tensor.dtype.ascendc}*){tensor.name}{start}"
            code.add(f"{c.gm(tensor.name)}.SetGlobalBuffer({pointer}, {size});")

    def _elements(self, code: Code) -> None:
        """Read tensors of one element."""
        c = self._c
        for op, name in scalars_of(self._plan):
            if op is ScalarOp.ELEMENT:
                spec = next(t for t in self._plan.task.inputs if t.name == name)
                code.add(f"{c.gm(name)}.SetGlobalBuffer((__gm__ {spec.dtype.ascendc}*){name}, 1);")
                code.add(f"{c.variable(op, name)} = {c.gm(name)}.GetValue(0);")

    def _queues(self, ins: Code, outs: Code) -> None:
        c, plan = self._c, self._plan
        for buffer in sorted(plan.assignment.buffers, key=self._place_in_task):
            if buffer.place is Place.OUT:
                number = self._buffer_number("out", plan.buffers_out)
                outs.add(f"{c.pipe}InitBuffer({c.queue(buffer)}, {number}, {self._sizes.bytes(buffer)});")
            elif buffer.place is Place.IN:
                number = self._buffer_number("in", plan.buffers_in)
                ins.add(f"{c.pipe}InitBuffer({c.queue(buffer)}, {number}, {self._sizes.bytes(buffer)});")
            elif buffer.place is Place.HELD:
                if c.style.event_load:
                    ins.add(f"{c.pipe}InitBuffer({self._stages.held_buf(buffer)}, {self._sizes.bytes(buffer)});")
                else:
                    ins.add(f"{c.pipe}InitBuffer({c.queue(buffer)}, 1, {self._sizes.bytes(buffer)});")

    def _place_in_task(self, buffer: Buffer) -> int:
        names = [t.name for t in (*self._plan.task.inputs, *self._plan.task.outputs)]
        return names.index(buffer.name) if buffer.name else len(names)

    def _buffer_number(self, which: str, number: int) -> str:
        if self._plan.buffers_in == self._plan.buffers_out:
            return self._c.constant("buffer num", number, "int32_t")
        return self._c.constant(f"{which} buffer num", number, "int32_t")

    def _scratch(self, code: Code) -> None:
        c, compute = self._c, self._stages.compute
        if compute.pooled:
            total = f"{len(compute.pooled)} * {self._sizes.tile} * sizeof(float)"
            code.add(f"{c.pipe}InitBuffer({compute.pool()}, {total});")
        for buffer in self._plan.assignment.buffers:
            if buffer.place in (Place.TEMP, Place.CONSTANT) and not compute.is_pooled(buffer):
                where = f"{compute.queue(buffer)}, 1" if compute.is_queued(buffer) else compute.tbuf(buffer)
                code.add(f"{c.pipe}InitBuffer({where}, {self._sizes.bytes(buffer)});")
        sizes = {
            "work": f"{self._sizes.capacity} / 8 + {2 * BLOCK_BYTES}",
            "row": str(self._plan.row_bytes),
            "tile": f"{self._sizes.tile} * sizeof(float)",
            "lanes": f"{c.constant('max rows', self._plan.max_rows)} * 256" if self._plan.fold else "256",
            "spread": f"{self._plan.max_rows + 8} * {BLOCK_BYTES}",
        }
        for _, tbuf, size in self._stages.extras():
            code.add(f"{c.pipe}InitBuffer({c.tbuf(tbuf)}, {sizes[size]});")
