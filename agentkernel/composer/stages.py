"""Stages of a kernel: copy in, compute, copy out, and what is set up once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agentkernel.composer.buffers import Buffer, Place
from agentkernel.composer.code import Code
from agentkernel.composer.compute import Compute, Scope
from agentkernel.composer.context import Context
from agentkernel.composer.copies import Copier, Transfer
from agentkernel.composer.ir import REDUCTIONS, Inst, Lane, Op, Storage, Value
from agentkernel.composer.passes import Pass, Walk
from agentkernel.composer.reductions import Reducer, Reduction


@dataclass(frozen=True)
class Tile:
    """What a stage works on, as its code spells it."""

    index: int
    """Pass."""
    count: str
    """Elements of the tile, or of a row of it."""
    rows: str = "1"
    """Rows of the tile."""
    full: str = ""
    """Elements that vector instructions work on, where that is not `count`."""
    first: str = ""
    """Condition of the first piece of a row (CHUNKED)."""
    offsets: dict[Lane, str] = field(default_factory=dict)
    """Offset in the global tensors, by how far a tensor reaches."""


class Stages:
    """Writes the bodies of stages.

    Args:
        context: Names and members.
        aligned: Whether every copy is a whole number of 32-byte blocks.
    """

    def __init__(self, context: Context, *, aligned: bool) -> None:
        self._c = context
        self._plan = context.plan
        self._walk = context.plan.walk
        self.copier = Copier(context, aligned=aligned)
        self.compute = Compute(context)
        self.reducer = Reducer(context)

    # ---- copies ------------------------------------------------------------------------------------------------

    def copy_in(self, insts: Sequence[Inst], tile: Tile) -> Code:
        """Load a tile's inputs into their queues."""
        c, code = self._c, Code()
        loads = [(inst, self._home(inst, tile.index)) for inst in insts if inst.op is Op.LOAD]
        for _, b in loads:
            code.add(f"{c.tensor_type(b)} {c.local(b)} = {c.queue(b)}.AllocTensor<{b.storage.ctype}>();")
        full = [b for inst, b in loads if inst.lane is not Lane.ROW]
        if self._plan.pad > 1 and c.style.fill_tail and full:
            self._fill_tails(code, full, tile.count)
        for inst, b in loads:
            self.copier.load(code, self._transfer(inst, b, tile))
        for _, b in loads:
            code.add(f"{c.queue(b)}.EnQue({c.local(b)});")
        return code

    def _transfer(self, inst: Inst, buffer: Buffer, tile: Tile) -> Transfer:
        c, lane = self._c, inst.lane
        gm = c.gm(inst.name) + (f"[{tile.offsets[lane]}]" if tile.offsets.get(lane) else "")
        several = self._walk is Walk.BLOCK and lane is Lane.FULL
        return Transfer(
            local=c.local(buffer),
            gm=gm,
            count=tile.rows if lane is Lane.ROW else tile.count,
            ctype=buffer.storage.ctype,
            label=inst.name,
            rows=tile.rows if several else "",
        )

    def _fill_tails(self, code: Code, buffers: Sequence[Buffer], count: str) -> None:
        """Zeros in the last repeat of a short tile, before the copy overwrites its beginning."""
        c, pad = self._c, self._plan.pad
        calc = self.padded(code, count)
        with code.block(f"if ({count} < {calc})"):
            code.add(*c.comment("vector instructions work on whole repeats: define what the copy leaves out"))
            for buffer in buffers:
                tensor, last = c.local(buffer), f"{calc} - {pad}"
                match buffer.storage:
                    case Storage.FLOAT | Storage.HALF | Storage.INT32 | Storage.INT16:
                        zero = {Storage.FLOAT: "0.0f", Storage.INT32: "0"}.get(
                            buffer.storage, f"static_cast<{buffer.storage.ctype}>(0)"
                        )
                        code.add(f"{c.q('Duplicate')}({tensor}[{last}], {zero}, {pad});")
                    case _:
                        part = buffer.storage.bits / 16
                        view, size = f"{tensor}.ReinterpretCast<uint16_t>()", int(pad * part)
                        at = f"({last}) / 2" if part < 1 else f"({last}) * {int(part)}" if part > 1 else last
                        code.add(f"{c.q('Duplicate')}({view}[{at}], static_cast<uint16_t>(0), {size});")
            c.event(code, "V_MTE2")

    def copy_out(self, insts: Sequence[Inst], tile: Tile) -> Code:
        """Store a tile's outputs from their queues."""
        c, code = self._c, Code()
        for inst in insts:
            if inst.op is Op.STORE:
                b = self._plan.assignment.home(tile.index, inst.values[0])
                code.add(f"{c.tensor_type(b)} {c.local(b)} = {c.queue(b)}.DeQue<{b.storage.ctype}>();")
                self.copier.store(code, self._transfer(inst, b, tile))
                code.add(f"{c.queue(b)}.FreeTensor({c.local(b)});")
        return code

    # ---- computation -------------------------------------------------------------------------------------------

    def padded(self, code: Code, count: str) -> str:
        """The count rounded up to whole repeats, declared where it is needed."""
        pad = self._plan.pad
        if pad == 1:
            return count
        name = self._c.names.variable("calcCount")
        code.add(f"const uint32_t {name} = ({count} + {pad - 1}) / {pad} * {pad};")
        return name

    def compute_tile(self, part: Pass, tile: Tile) -> Code:
        """Computation of a tile: take inputs, compute, hand outputs over, free inputs."""
        c, code, index = self._c, Code(), tile.index
        insts = [inst for inst in part.insts if self._is_mine(inst)]
        buffers = self.compute.used(insts, index)
        ins = [b for b in buffers if b.place is Place.IN and self._in_tile(b)]
        outs = [b for b in buffers if b.place is Place.OUT and self._in_tile(b)]
        for b in ins:
            code.add(f"{c.tensor_type(b)} {c.local(b)} = {c.queue(b)}.DeQue<{b.storage.ctype}>();")
        for b in outs:
            code.add(f"{c.tensor_type(b)} {c.local(b)} = {c.queue(b)}.AllocTensor<{b.storage.ctype}>();")
        self.compute.fetch(code, buffers)
        self._fetch_extra(code, part)
        calc = tile.full or self.padded(code, tile.count)
        rows = tile.rows if self._walk is Walk.BLOCK else str(self._plan.row_count)
        scope = Scope(index, calc, tile.count, rows, tile.first)
        free_after = self._free_points(insts, index, ins) if c.style.free_early else {}
        pending: list[Inst] = []
        for position, inst in enumerate(insts):
            pending.append(inst)
            if position in free_after:
                self.compute.write(code, pending, scope)
                pending = []
                for b in free_after[position]:
                    code.add(f"{c.queue(b)}.FreeTensor({c.local(b)});")
        self.compute.write(code, pending, scope)
        for b in outs:
            code.add(f"{c.queue(b)}.EnQue({c.local(b)});")
        self.compute.release(code, buffers)
        if not c.style.free_early:
            for b in ins:
                code.add(f"{c.queue(b)}.FreeTensor({c.local(b)});")
        return code

    def row_step(self, insts: Sequence[Inst], part: Pass | None, index: int, length: str) -> Code:
        """Computation on ROW values between two passes (CHUNKED)."""
        code = Code()
        reductions = [i for i in part.insts if i.op in REDUCTIONS] if part is not None and self.reducer.folds else []
        buffers = self.compute.used([*reductions, *insts], index)
        self.compute.fetch(code, [b for b in buffers if b.is_row])
        scope = Scope(index, "1", "1", str(self._plan.row_count))
        for inst in reductions:
            assert inst.dst is not None
            home = self._plan.assignment.home(index, inst.dst)
            label = self._c.local(home)
            self._fetch_named(code, self.reducer.folded(label))
            self._fetch_named(code, self.reducer.work)
            it = Reduction(inst.op, self._c.tensor(home), "", label, count=length, rows="1", first="")
            self.reducer.finish(code, it)
        self.compute.write(code, [i for i in insts if i.op is not Op.LOAD], scope)
        return code

    def _is_mine(self, inst: Inst) -> bool:
        return self._walk is not Walk.CHUNKED or inst.lane is not Lane.ROW or inst.op in REDUCTIONS

    def _in_tile(self, buffer: Buffer) -> bool:
        """Whether a queue's tensor is taken and given back within one tile."""
        return self._walk is not Walk.CHUNKED or not buffer.is_row

    def _home(self, inst: Inst, index: int) -> Buffer:
        assert inst.dst is not None
        return self._plan.assignment.home(index, inst.dst)

    def _free_points(self, insts: Sequence[Inst], index: int, ins: Sequence[Buffer]) -> dict[int, list[Buffer]]:
        """By position of an instruction: input buffers that nothing touches after it."""
        last: dict[Buffer, int] = {}
        for position, inst in enumerate(insts):
            values: list[Value] = [*inst.values, *([inst.dst] if inst.dst is not None else [])]
            for value in values:
                last[self._plan.assignment.home(index, value)] = position
        points: dict[int, list[Buffer]] = {}
        for buffer in ins:
            points.setdefault(last[buffer], []).append(buffer)
        return points

    # ---- scratch of reductions ---------------------------------------------------------------------------------

    def extras(self) -> list[tuple[str, str, str]]:
        """Scratch of reductions: name of the tensor, of its TBuf, and which size it has (see `setup`)."""
        c, found = self._c, []
        if self._plan.has_reductions:
            if self._walk is not Walk.BLOCK and not self.reducer.by_lanes:
                found.append((self.reducer.work, "work"))
            if self._walk is Walk.CHUNKED and not self.reducer.folds:
                found.append((self.reducer.partial, "row"))
            if self.reducer.folds:
                for index, part in enumerate(self._plan.schedule.passes):
                    for inst in part.insts:
                        if inst.op in REDUCTIONS and inst.dst is not None:
                            local = c.local(self._plan.assignment.home(index, inst.dst))
                            found.append((self.reducer.folded(local), "tile"))
            if self._plan.fold or self.reducer.by_lanes:
                found.append((self.reducer.lanes, "lanes"))
        if self.compute.spreads_any:
            found.append((c.names.get("spread tensor", "spreadLocal"), "spread"))
        return [(name, c.names.get(f"tbuf {name}", f"{name}Buf"), size) for name, size in dict.fromkeys(found)]

    def _fetch_extra(self, code: Code, part: Pass) -> None:
        wanted = self.extras()
        reduces = any(inst.op in REDUCTIONS for inst in part.insts)
        mine = set()
        for inst in part.insts:
            if inst.op in REDUCTIONS and inst.dst is not None and self.reducer.folds:
                index = self._plan.schedule.passes.index(part)
                mine.add(self.reducer.folded(self._c.local(self._plan.assignment.home(index, inst.dst))))
        for name, _, size in wanted:
            at_the_end = size == "work" and self.reducer.folds
            if size == "spread" or name in mine or (reduces and size != "tile" and not at_the_end):
                self._fetch_named(code, name)

    def _fetch_named(self, code: Code, name: str) -> None:
        c = self._c
        line = f"{c.q('LocalTensor')}<float> {name} = {c.tbuf(c.names.get(f'tbuf {name}', f'{name}Buf'))}.Get<float>();"
        if line not in code.lines:
            code.add(line)

    # ---- what is done once -------------------------------------------------------------------------------------

    def once(self, length: str, capacity: str) -> Code:
        """Load what all rows share and compute what depends on nothing else; constants are filled here."""
        c, code = self._c, Code()
        insts = self._plan.schedule.once
        loads = [inst for inst in insts if inst.op is Op.LOAD]
        assignment = self._plan.assignment
        for inst in loads:
            self._load_once(code, inst, assignment.shared[self._result(inst)], length)
        if loads and c.style.event_load:
            c.event(code, "MTE2_V")
        if loads and not c.style.event_load:
            for inst in loads:
                buffer = assignment.shared[self._result(inst)]
                code.add(f"{self.held(buffer)} = {c.queue(buffer)}.DeQue<{buffer.storage.ctype}>();")
        self.compute.fetch(code, [b for b in self.compute.used(insts, 0) if b.place is Place.CONSTANT])
        constants = [i for i in insts if i.op is Op.DUPLICATE and i.lane is not Lane.VECTOR]
        vectors = [i for i in insts if i not in constants]
        self.compute.write(code, constants, Scope(0, capacity, capacity))
        if any(i.op is not Op.LOAD for i in vectors):
            self.compute.write(code, vectors, Scope(0, self.padded(code, length), length))
        return code

    def _result(self, inst: Inst) -> Value:
        assert inst.dst is not None
        return inst.dst

    def held(self, buffer: Buffer) -> str:
        """The member that keeps a tensor for the whole kernel."""
        return self._c.tensor(buffer)

    def _load_once(self, code: Code, inst: Inst, buffer: Buffer, length: str) -> None:
        c, ctype = self._c, buffer.storage.ctype
        local = self.held(buffer)
        if c.style.event_load:
            code.add(f"{local} = {self.held_buf(buffer)}.Get<{ctype}>();")
            self.copier.load(code, Transfer(local, c.gm(inst.name), length, ctype, inst.name))
            return
        code.add(f"{local} = {c.queue(buffer)}.AllocTensor<{ctype}>();")
        self.copier.load(code, Transfer(local, c.gm(inst.name), length, ctype, inst.name))
        code.add(f"{c.queue(buffer)}.EnQue({local});")

    def held_buf(self, buffer: Buffer) -> str:
        """The TBuf of a HELD buffer, where no queue carries it."""
        return self._c.tbuf(self._c.names.get(f"tbuf held {buffer.name}", f"{buffer.name}Buf"), "VECIN")

    def release(self) -> Code:
        """Give back what was kept."""
        c, code = self._c, Code()
        if not c.style.event_load:
            for buffer in self._plan.assignment.buffers:
                if buffer.place is Place.HELD:
                    code.add(f"{c.queue(buffer)}.FreeTensor({self.held(buffer)});")
        return code
