"""Init and Process of every walk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from agentkernel.composer.buffers import Buffer, Place
from agentkernel.composer.code import Code
from agentkernel.composer.context import Context, Unit
from agentkernel.composer.ir import Lane, Op, ScalarOp
from agentkernel.composer.passes import Pass, Walk
from agentkernel.composer.split import Divider
from agentkernel.composer.stages import Stages
from agentkernel.composer.style import Layout, Split
from agentkernel.composer.tiling import BLOCK_BYTES, Plan
from agentkernel.task import Dim

_ALIGN = 256
"""Elements at whose multiples a core's part of a flat kernel begins: whole blocks in every type, 512 bytes in 16 bit."""


def build(plan: Plan) -> tuple[Context, Unit]:
    """The code of a plan, not yet arranged in a layout."""
    context = Context(plan)
    writer = _Walker(context)
    writer.run()
    return context, context.unit


class _Walker:
    def __init__(self, context: Context) -> None:
        self._c = context
        self._plan = context.plan
        self._walk = context.plan.walk
        self._stages = Stages(context, aligned=self._is_aligned())
        self._stage_names: dict[str, str] = {}

    def run(self) -> None:
        """Fill the unit."""
        walks = {
            Walk.FLAT: self._flat,
            Walk.SINGLE: self._rows,
            Walk.BLOCK: self._rows,
            Walk.CHUNKED: self._chunked,
        }
        process = Code()
        walks[self._walk](process)
        self._init(self._c.unit.init)
        self._c.unit.process.include(process)

    # ---- sizes -------------------------------------------------------------------------------------------------

    def _is_aligned(self) -> bool:
        """Whether all copies of a static task are whole blocks."""
        if not self._plan.is_static or self._walk is Walk.BLOCK:
            return False
        dims = self._plan.graph.space if self._walk is Walk.FLAT else self._plan.row_dims
        length = 1
        for dim in dims:
            length *= dim if isinstance(dim, int) else self._plan.task.cases[0].dims[dim]
        tensors = (*self._plan.task.inputs, *self._plan.task.outputs)
        has_rows = any(b.is_row and b.place in (Place.IN, Place.OUT) for b in self._plan.assignment.buffers)
        return not has_rows and all(length * t.dtype.itemsize % BLOCK_BYTES == 0 for t in tensors)

    def _dim(self, dim: Dim) -> str:
        """A size inside Init."""
        if isinstance(dim, int):
            return str(dim)
        if self._plan.is_static:
            return str(self._plan.task.cases[0].dims[dim])
        if self._c.style.layout is Layout.ENTRY:
            return f"{self._c.names.variable('tilingData')}.{dim}"
        return f"tiling.{dim}" if self._c.style.tiling_by_ref else dim

    def _product(self, dims: tuple[Dim, ...]) -> str:
        known, parts = 1, []
        for dim in dims:
            text = self._dim(dim)
            if text.isdigit():
                known *= int(text)
            else:
                parts.append(text)
        if known != 1 or not parts:
            parts.insert(0, str(known))
        return " * ".join(parts)

    def _size(self, code: Code, name: str, words: str, dims: tuple[Dim, ...], *, member: bool) -> str:
        """A product of sizes: a named constant of a static kernel, else a variable or member that Init sets."""
        text = self._product(dims)
        if self._plan.is_static:
            return self._c.constant(words, text)
        if member:
            reference = self._c.number(name)
            code.add(f"{reference} = {text};")
            return reference
        local = self._c.names.variable(name)
        code.add(f"const uint32_t {local} = {text};")
        return local

    @property
    def _row_length(self) -> str:
        if self._plan.is_static:
            return self._c.constant("row length", self._product(self._plan.row_dims))
        return self._c.number("rowLength")

    @property
    def _tile(self) -> str:
        return self._c.constant("tile length", self._plan.tile)

    # ---- stages ------------------------------------------------------------------------------------------------

    def _stage(self, code: Code, name: str, parameters: tuple[str, ...], body: Code) -> None:
        """Call a stage, or put its body here where the layout has no functions for it. Equal bodies are one stage."""
        if not body:
            return
        if self._c.style.layout in (Layout.COMPACT, Layout.ENTRY):
            with code.block(""):
                code.add(*self._c.comment(_WORDS.get(name.rstrip("0123456789"), name)))
                code.include(body)
            return
        key = f"{parameters} {body}"
        if key not in self._stage_names:
            unique, number = name, 2
            while unique in self._c.unit.stages:
                unique, number = f"{name}{number}", number + 1
            self._stage_names[key] = unique
            self._c.unit.stages[unique] = (parameters, body)
        state = (self._c.state,) if self._c.style.layout is Layout.FUNCTIONS else ()
        code.add(f"{self._stage_names[key]}({', '.join((*state, *parameters))});")

    @contextmanager
    def _loop(
        self, code: Code, variable: str, begin: str, end: str, step: str, *, again: bool = False
    ) -> Iterator[None]:
        """A loop; `again` where its variable is used by several loops of one scope."""
        if self._c.style.while_loop and not again:
            code.add(f"uint32_t {variable} = {begin};")
            with code.block(f"while ({variable} < {end})"):
                yield
                code.add(f"{variable} += {step};")
        else:
            advance = f"++{variable}" if step == "1" else f"{variable} += {step}"
            with code.block(f"for (uint32_t {variable} = {begin}; {variable} < {end}; {advance})"):
                yield

    def _tiles(self) -> tuple[str, str]:
        """(first tile, step) of a core, in tiles."""
        c = self._c
        if c.style.split is Split.STRIDED:
            return f"static_cast<uint32_t>({c.q('GetBlockIdx')}())", f"static_cast<uint32_t>({c.q('GetBlockNum')}())"
        return "0", "1"

    # ---- flat --------------------------------------------------------------------------------------------------

    def _flat(self, code: Code) -> None:
        c, part = self._c, self._plan.schedule.passes[0]
        offset, count = c.names.variable("offset"), c.names.variable("count")
        length, tile = c.number("length"), self._tile
        self._once(code, tile, tile)
        i = c.names.variable("i")
        first, step = self._tiles()
        tiles = c.names.variable("tileNum")
        code.add(f"const uint32_t {tiles} = ({length} + {tile} - 1) / {tile};")
        with self._loop(code, i, first, tiles, step):
            code.add(f"const uint32_t {offset} = {i} * {tile};")
            code.add(f"const uint32_t {count} = {length} - {offset} < {tile} ? {length} - {offset} : {tile};")
            offsets = {Lane.FULL: offset}
            self._stage(code, "CopyIn", (offset, count), self._stages.copy_in(part.insts, 0, count, offsets, "1"))
            self._stage(code, "Compute", (count,), self._stages.compute_tile(part, 0, count, "1", count, ""))
            self._stage(code, "CopyOut", (offset, count), self._stages.copy_out(part.insts, 0, count, offsets, "1"))

    # ---- whole rows --------------------------------------------------------------------------------------------

    def _rows(self, code: Code) -> None:
        c, part = self._c, self._plan.schedule.passes[0]
        row, rows, mine = c.names.variable("row"), c.names.variable("rowCount"), c.number("rowNum")
        length = self._row_length
        block = self._walk is Walk.BLOCK
        self._once(code, length, self._capacity())
        first, step = self._tiles()
        per_tile = self._rows_per_tile() if block else "1"
        if block:
            first = first if first == "0" else f"{first} * {per_tile}"
            step = per_tile if step == "1" else f"{step} * {per_tile}"
        with self._loop(code, row, first, mine, step):
            if block:
                code.add(f"const uint32_t {rows} = {mine} - {row} < {per_tile} ? {mine} - {row} : {per_tile};")
            offsets = {Lane.FULL: f"{row} * {length}", Lane.ROW: row}
            number = rows if block else "1"
            parameters = (row, rows) if block else (row,)
            full = f"{rows} * {self._pitch}" if block else length
            self._stage(code, "CopyIn", parameters, self._stages.copy_in(part.insts, 0, length, offsets, number))
            inner = (rows,) if block else ()
            if block:
                total = c.names.variable("total")
                body = Code().add(f"const uint32_t {total} = {full};")
                body.include(self._stages.compute_tile(part, 0, length, number, total, ""))
            else:
                body = self._stages.compute_tile(part, 0, length, number, full, "")
            self._stage(code, "Compute", inner, body)
            self._stage(code, "CopyOut", parameters, self._stages.copy_out(part.insts, 0, length, offsets, number))
        code.include(self._stages.release())

    @property
    def _pitch(self) -> str:
        return self._c.number("pitch")

    def _rows_per_tile(self) -> str:
        return self._c.number("rowsPerTile")

    def _capacity(self) -> str:
        """Elements that a FULL buffer of a row kernel holds."""
        if self._walk is Walk.SINGLE and not self._plan.is_static:
            return self._c.number("rowAligned")
        return self._tile

    def _once(self, code: Code, length: str, capacity: str) -> None:
        body = self._stages.once(length, capacity)
        if body:
            with code.block(f"if ({self._mine} == 0)"):
                code.add("return;")
        self._stage(code, "Prepare", (), body)

    @property
    def _mine(self) -> str:
        return self._c.number("length" if self._walk is Walk.FLAT else "rowNum")

    # ---- rows in pieces ----------------------------------------------------------------------------------------

    def _chunked(self, code: Code) -> None:
        c, plan = self._c, self._plan
        row, mine, length, tile = c.names.variable("row"), c.number("rowNum"), self._row_length, self._tile
        self._once(code, tile, tile)
        first, step = self._tiles()
        with self._loop(code, row, first, mine, step):
            self._stage(code, "BeginRow", (row,), self._begin_row(row))
            for index, part in enumerate(plan.schedule.passes):
                self._pass(code, part, index, row, length, tile)
            self._stage(code, "EndRow", (row,), self._end_row(row))

    def _pass(self, code: Code, part: Pass, index: int, row: str, length: str, tile: str) -> None:
        c, last = self._c, len(self._plan.schedule.passes) - 1
        column, count = c.names.variable("column"), c.names.variable("count")
        has_output = any(inst.op is Op.STORE for inst in part.insts)
        code.add(*c.comment(f"pass {index + 1} of {last + 1} over the row", rich=True))
        with self._loop(code, column, "0", length, tile, again=True):
            code.add(f"const uint32_t {count} = {length} - {column} < {tile} ? {length} - {column} : {tile};")
            offset = c.names.variable("offset")
            code.add(f"const uint32_t {offset} = {row} * {length} + {column};")
            offsets = {Lane.FULL: offset, Lane.VECTOR: column}
            loads = [i for i in part.insts if i.op is Op.LOAD and i.lane is not Lane.ROW]
            needs_column = any(i.lane is Lane.VECTOR for i in loads)
            parameters = (offset, column, count) if needs_column else (offset, count)
            self._stage(code, "CopyIn", parameters, self._stages.copy_in(loads, index, count, offsets, "1"))
            body = self._stages.compute_tile(part, index, count, "1", count, f"{column} == 0")
            name = "Compute" if has_output else "Reduce"
            self._stage(code, name, (count,) if has_output else (column, count), body)
            if has_output:
                stores = [i for i in part.insts if i.op is Op.STORE]
                out = self._stages.copy_out(stores, index, count, offsets, "1")
                self._stage(code, "CopyOut", (offset, count), out)
        folded = c.names.variable("foldCount")
        needs_fold = self._stages.reducer.folds and not has_output
        step = self._stages.row_step(part.after, part, index, folded if needs_fold else "1")
        if needs_fold:
            body = Code().add(f"const uint32_t {folded} = {length} < {tile} ? {length} : {tile};")
            step = body.include(step)
        self._stage(code, "Finish", (), step)

    def _begin_row(self, row: str) -> Code:
        """Load the row's own numbers, take the tensors that its results are collected in."""
        c, code = self._c, Code()
        schedule, shared = self._plan.schedule, self._plan.assignment.shared
        loads = [inst for inst in schedule.before if inst.op is Op.LOAD and inst.dst is not None]
        for inst in loads:
            assert inst.dst is not None
            buffer = shared[inst.dst]
            local, ctype, queue = c.tensor(buffer), buffer.storage.ctype, c.queue(buffer)
            code.add(f"{local} = {queue}.AllocTensor<{ctype}>();")
            self._stages.copier.load(code, local, f"{c.gm(inst.name)}[{row}]", "1", ctype, inst.name)
            code.add(f"{queue}.EnQue({local});", f"{local} = {queue}.DeQue<{ctype}>();")
        for buffer in self._row_outputs():
            code.add(f"{c.tensor(buffer)} = {c.queue(buffer)}.AllocTensor<{buffer.storage.ctype}>();")
        return code.include(self._stages.row_step(schedule.before, None, 0, "1"))

    def _end_row(self, row: str) -> Code:
        c, code = self._c, Code()
        for buffer in self._row_outputs():
            local, ctype, queue = c.tensor(buffer), buffer.storage.ctype, c.queue(buffer)
            code.add(f"{queue}.EnQue({local});", f"{local} = {queue}.DeQue<{ctype}>();")
            self._stages.copier.store(code, f"{c.gm(buffer.name)}[{row}]", local, "1", ctype, buffer.name)
            code.add(f"{queue}.FreeTensor({local});")
        for inst in self._plan.schedule.before:
            if inst.op is Op.LOAD and inst.dst is not None:
                buffer = self._plan.assignment.shared[inst.dst]
                code.add(f"{c.queue(buffer)}.FreeTensor({c.tensor(buffer)});")
        return code

    def _row_outputs(self) -> list[Buffer]:
        return [b for b in dict.fromkeys(self._plan.assignment.shared.values()) if b.place is Place.OUT]

    # ---- Init --------------------------------------------------------------------------------------------------

    def _init(self, code: Code) -> None:
        c, plan = self._c, self._plan
        flat = self._walk is Walk.FLAT
        self._set_scalars(code)
        if flat:
            total = self._size(code, "totalLength", "total length", plan.graph.space, member=False)
        else:
            total = self._size(code, "totalRows", "total rows", plan.lead_dims, member=False)
            self._size(code, "rowLength", "row length", plan.row_dims, member=True)
        divider = Divider(c, _ALIGN if flat else 1)
        divider.write(code, total, self._mine)
        with code.block(f"if ({self._mine} == 0)"):
            code.add("return;")
        self._shape_rows(code)
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
            code.add(f"{c.number('rowAligned')} = ({self._row_length} + {unit - 1}) / {unit} * {unit};")
        if self._walk is Walk.BLOCK:
            unit = (
                BLOCK_BYTES
                * 8
                // next(i.dst.storage.bits for i in self._plan.program.insts if i.op is Op.LOAD and i.dst is not None)
            )
            most = c.constant("max rows", self._plan.max_rows)
            code.add(f"{self._pitch} = ({self._row_length} + {unit - 1}) / {unit} * {unit};")
            fits = f"{self._tile} / {self._pitch}"
            code.add(f"{self._rows_per_tile()} = {fits} < {most} ? {fits} : {most};")

    def _globals(self, code: Code, divider: Divider) -> None:
        c, plan = self._c, self._plan
        flat = self._walk is Walk.FLAT
        amount = self._mine
        lanes = {(inst.name): inst.lane for inst in plan.program.insts if inst.op in (Op.LOAD, Op.STORE)}
        for tensor in (*plan.task.inputs, *plan.task.outputs):
            lane = lanes.get(tensor.name)
            if lane is None:
                continue
            start, size = "", amount
            if lane is Lane.VECTOR:
                size = self._row_length
            elif divider.has_start:
                start = (
                    f" + {divider.start}" if flat or lane is Lane.ROW else f" + {divider.start} * {self._row_length}"
                )
            if lane is Lane.FULL and not flat:
                size = f"{amount} * {self._row_length}"
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

    def _bytes(self, buffer: Buffer) -> str:
        """Size of a buffer as code."""
        if buffer.is_row:
            return str(self._plan.row_bytes)
        elements = self._tile
        if self._walk is Walk.SINGLE:
            elements = self._capacity()
        elif self._walk is Walk.BLOCK and buffer.lane is Lane.VECTOR:
            elements = self._pitch
        if buffer.storage.bits < 8:
            return f"{elements} / 8"
        return f"{elements} * sizeof({buffer.storage.ctype})"

    def _queues(self, ins: Code, outs: Code) -> None:
        c, plan = self._c, self._plan
        for buffer in sorted(plan.assignment.buffers, key=self._place_in_task):
            if buffer.place is Place.OUT:
                number = self._buffer_number("out", plan.buffers_out)
                outs.add(f"{c.pipe}InitBuffer({c.queue(buffer)}, {number}, {self._bytes(buffer)});")
            elif buffer.place is Place.IN:
                number = self._buffer_number("in", plan.buffers_in)
                ins.add(f"{c.pipe}InitBuffer({c.queue(buffer)}, {number}, {self._bytes(buffer)});")
            elif buffer.place is Place.HELD:
                if c.style.event_load:
                    ins.add(f"{c.pipe}InitBuffer({self._stages.held_buf(buffer)}, {self._bytes(buffer)});")
                else:
                    ins.add(f"{c.pipe}InitBuffer({c.queue(buffer)}, 1, {self._bytes(buffer)});")

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
            total = f"{len(compute.pooled)} * {self._tile} * sizeof(float)"
            code.add(f"{c.pipe}InitBuffer({compute.pool()}, {total});")
        for buffer in self._plan.assignment.buffers:
            if buffer.place in (Place.TEMP, Place.CONSTANT) and not compute.is_pooled(buffer):
                code.add(f"{c.pipe}InitBuffer({compute.tbuf(buffer)}, {self._bytes(buffer)});")
        sizes = {
            "work": f"{self._capacity() if self._walk is Walk.SINGLE else self._tile} / 8 + {2 * BLOCK_BYTES}",
            "row": str(self._plan.row_bytes),
            "tile": f"{self._tile} * sizeof(float)",
            "lanes": f"{c.constant('max rows', self._plan.max_rows)} * 256" if self._plan.fold else "256",
            "spread": f"{self._plan.max_rows + 8} * {BLOCK_BYTES}",
        }
        for _, tbuf, size in self._stages.extras():
            code.add(f"{c.pipe}InitBuffer({c.tbuf(tbuf)}, {sizes[size]});")


_WORDS = {
    "CopyIn": "copy in",
    "Compute": "compute",
    "CopyOut": "copy out",
    "Reduce": "reduce this piece",
    "Finish": "values of the whole row",
    "Prepare": "what all tiles share",
    "BeginRow": "begin the row",
    "EndRow": "store the row's results",
}


def scalars_of(plan: Plan) -> list[tuple[ScalarOp, str]]:
    """Sizes, attributes and one-element tensors that instructions read, in order of first use."""
    from agentkernel.composer.ir import Scalar

    found: dict[tuple[ScalarOp, str], None] = {}
    for inst in plan.program.insts:
        for arg in inst.args:
            if isinstance(arg, Scalar):
                for part in arg.walk():
                    if part.op in (ScalarOp.ATTR, ScalarOp.SIZE, ScalarOp.ELEMENT):
                        found.setdefault((part.op, part.name))
    return list(found)


__all__ = ["build", "scalars_of"]
