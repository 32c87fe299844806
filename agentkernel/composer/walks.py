"""Process of every walk: the loops over tiles and rows, and the stages they call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from agentkernel.composer.buffers import Buffer, Place
from agentkernel.composer.code import Code
from agentkernel.composer.context import Context, Unit
from agentkernel.composer.copies import Transfer
from agentkernel.composer.ir import Lane, Op
from agentkernel.composer.passes import Pass, Walk
from agentkernel.composer.setup import Setup
from agentkernel.composer.sizes import Sizes
from agentkernel.composer.split import declare_cores
from agentkernel.composer.stages import Stages, Tile
from agentkernel.composer.style import Layout, Split
from agentkernel.composer.tiling import Plan


def build(plan: Plan) -> tuple[Context, Unit]:
    """The code of a plan, not yet arranged in a layout."""
    context = Context(plan)
    _Walker(context).run()
    return context, context.unit


class _Walker:
    def __init__(self, context: Context) -> None:
        self._c = context
        self._plan = context.plan
        self._walk = context.plan.walk
        self._sizes = Sizes(context)
        self._stages = Stages(context, aligned=self._sizes.is_aligned)
        self._setup = Setup(context, self._sizes, self._stages)
        self._stage_names: dict[str, str] = {}

    def run(self) -> None:
        """Fill the unit."""
        walks = {
            Walk.FLAT: self._flat,
            Walk.SINGLE: self._rows,
            Walk.BLOCK: self._rows,
            Walk.CHUNKED: self._chunked,
        }
        # stages declare members as they are written: Init comes after them
        walks[self._walk](self._c.unit.process)
        self._setup.write(self._c.unit.init)

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

    def _tiles(self, code: Code) -> tuple[str, str]:
        """(first tile, step) of a core, in tiles."""
        if self._c.style.split is not Split.STRIDED:
            return "0", "1"
        cores, core = declare_cores(self._c, code)
        return core, cores

    # ---- flat --------------------------------------------------------------------------------------------------

    def _flat(self, code: Code) -> None:
        c, part = self._c, self._plan.schedule.passes[0]
        offset, count = c.names.variable("offset"), c.names.variable("count")
        length, tile = c.number("length"), self._sizes.tile
        self._once(code, tile, tile)
        i = c.names.variable("i")
        first, step = self._tiles(code)
        tiles = c.names.variable("tileNum")
        code.add(f"const uint32_t {tiles} = ({length} + {tile} - 1) / {tile};")
        with self._loop(code, i, first, tiles, step):
            code.add(f"const uint32_t {offset} = {i} * {tile};")
            code.add(f"const uint32_t {count} = {length} - {offset} < {tile} ? {length} - {offset} : {tile};")
            unit = Tile(0, count, offsets={Lane.FULL: offset})
            self._stage(code, "CopyIn", (offset, count), self._stages.copy_in(part.insts, unit))
            self._stage(code, "Compute", (count,), self._stages.compute_tile(part, unit))
            self._stage(code, "CopyOut", (offset, count), self._stages.copy_out(part.insts, unit))

    # ---- whole rows --------------------------------------------------------------------------------------------

    def _rows(self, code: Code) -> None:
        c, part = self._c, self._plan.schedule.passes[0]
        row, rows, mine = c.names.variable("row"), c.names.variable("rowCount"), c.number("rowNum")
        length = self._sizes.row_length
        block = self._walk is Walk.BLOCK
        self._once(code, length, self._sizes.capacity)
        first, step = self._tiles(code)
        per_tile = self._sizes.rows_per_tile if block else "1"
        if block:
            first = first if first == "0" else f"{first} * {per_tile}"
            step = per_tile if step == "1" else f"{step} * {per_tile}"
        with self._loop(code, row, first, mine, step):
            if block:
                code.add(f"const uint32_t {rows} = {mine} - {row} < {per_tile} ? {mine} - {row} : {per_tile};")
            parameters = (row, rows) if block else (row,)
            total = c.names.variable("total") if block else ""
            unit = Tile(
                0,
                length,
                rows=rows if block else "1",
                full=total,
                offsets={Lane.FULL: f"{row} * {length}", Lane.ROW: row},
            )
            self._stage(code, "CopyIn", parameters, self._stages.copy_in(part.insts, unit))
            body = Code()
            if block:
                body.add(f"const uint32_t {total} = {rows} * {self._sizes.pitch};")
            body.include(self._stages.compute_tile(part, unit))
            self._stage(code, "Compute", parameters[1:], body)
            self._stage(code, "CopyOut", parameters, self._stages.copy_out(part.insts, unit))
        code.include(self._stages.release())

    def _once(self, code: Code, length: str, capacity: str) -> None:
        body = self._stages.once(length, capacity)
        # an idle core has left Init early; in one function it has left everything
        if (body or self._plan.runtime_tile) and self._c.style.layout is not Layout.ENTRY:
            with code.block(f"if ({self._sizes.mine} == 0)"):
                code.add("return;")
        self._stage(code, "Prepare", (), body)

    # ---- rows in pieces ----------------------------------------------------------------------------------------

    def _chunked(self, code: Code) -> None:
        row, mine, tile = self._c.names.variable("row"), self._c.number("rowNum"), self._sizes.tile
        self._once(code, tile, tile)
        first, step = self._tiles(code)
        with self._loop(code, row, first, mine, step):
            self._stage(code, "BeginRow", (row,), self._begin_row(row))
            for index, part in enumerate(self._plan.schedule.passes):
                self._pass(code, part, index, row)
            self._stage(code, "EndRow", (row,), self._end_row(row))

    def _pass(self, code: Code, part: Pass, index: int, row: str) -> None:
        """One walk over the pieces of a row, and what follows from it."""
        c, last = self._c, len(self._plan.schedule.passes) - 1
        length, tile = self._sizes.row_length, self._sizes.tile
        column, count = c.names.variable("column"), c.names.variable("count")
        has_output = any(inst.op is Op.STORE for inst in part.insts)
        code.add(*c.comment(f"pass {index + 1} of {last + 1} over the row", rich=True))
        with self._loop(code, column, "0", length, tile, again=True):
            code.add(f"const uint32_t {count} = {length} - {column} < {tile} ? {length} - {column} : {tile};")
            offset = c.names.variable("offset")
            code.add(f"const uint32_t {offset} = {row} * {length} + {column};")
            unit = Tile(index, count, first=f"{column} == 0", offsets={Lane.FULL: offset, Lane.VECTOR: column})
            loads = [i for i in part.insts if i.op is Op.LOAD and i.lane is not Lane.ROW]
            needs_column = any(i.lane is Lane.VECTOR for i in loads)
            parameters = (offset, column, count) if needs_column else (offset, count)
            self._stage(code, "CopyIn", parameters, self._stages.copy_in(loads, unit))
            body = self._stages.compute_tile(part, unit)
            name = "Compute" if has_output else "Reduce"
            self._stage(code, name, (count,) if has_output else (column, count), body)
            self._stage(code, "CopyOut", (offset, count), self._stages.copy_out(part.insts, unit))
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
            self._stages.copier.load(code, Transfer(local, f"{c.gm(inst.name)}[{row}]", "1", ctype, inst.name))
            code.add(f"{queue}.EnQue({local});", f"{local} = {queue}.DeQue<{ctype}>();")
        for buffer in self._row_outputs():
            code.add(f"{c.tensor(buffer)} = {c.queue(buffer)}.AllocTensor<{buffer.storage.ctype}>();")
        return code.include(self._stages.row_step(schedule.before, None, 0, "1"))

    def _end_row(self, row: str) -> Code:
        c, code = self._c, Code()
        for buffer in self._row_outputs():
            local, ctype, queue = c.tensor(buffer), buffer.storage.ctype, c.queue(buffer)
            code.add(f"{queue}.EnQue({local});", f"{local} = {queue}.DeQue<{ctype}>();")
            it = Transfer(local, f"{c.gm(buffer.name)}[{row}]", "1", ctype, buffer.name)
            self._stages.copier.store(code, it)
            code.add(f"{queue}.FreeTensor({local});")
        for inst in self._plan.schedule.before:
            if inst.op is Op.LOAD and inst.dst is not None:
                buffer = self._plan.assignment.shared[inst.dst]
                code.add(f"{c.queue(buffer)}.FreeTensor({c.tensor(buffer)});")
        return code

    def _row_outputs(self) -> list[Buffer]:
        return [b for b in dict.fromkeys(self._plan.assignment.shared.values()) if b.place is Place.OUT]


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
