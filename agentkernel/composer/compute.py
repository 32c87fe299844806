"""Bodies of the compute stages: instructions in order, reductions, per-row scalars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agentkernel.composer.buffers import Buffer, Place
from agentkernel.composer.calls import Site, call
from agentkernel.composer.code import Code
from agentkernel.composer.context import Context, is_plain
from agentkernel.composer.ir import BINARY, REDUCTIONS, Inst, Lane, Op, Scalar, ScalarOp, Storage, Value
from agentkernel.composer.naming import camel
from agentkernel.composer.passes import Walk, reads_rows
from agentkernel.composer.reductions import LANES, Reducer, Reduction
from agentkernel.composer.style import Comments

_WITH_BLOCKS = {Op.ADDS: "Add", Op.MULS: "Mul", Op.MAXS: "Max", Op.MINS: "Min"}


@dataclass
class Scope:
    """Where instructions stand: the pass, how counts are spelled, and what was declared so far."""

    index: int
    """Pass."""
    full: str
    """Elements that an instruction on FULL or VECTOR values works on."""
    exact: str
    """The same without padding, for reductions."""
    rows: str = "1"
    """Elements that an instruction on ROW values works on."""
    first: str = ""
    """Condition of the first piece of a row (CHUNKED)."""
    declared: dict[Value, str] = field(default_factory=dict)
    """Row scalars that were read into variables."""


class Compute:
    """Writes instructions."""

    def __init__(self, context: Context) -> None:
        self._c = context
        self._plan = context.plan
        self._walk = context.plan.walk
        self._reducer = Reducer(context)
        self._named = {name for name, _ in context.plan.graph.names}

    def tensor(self, index: int) -> Callable[[Value], str]:
        """Spelling of values in a pass."""
        return lambda value: self._c.tensor(self._plan.assignment.home(index, value))

    def used(self, insts: Sequence[Inst], index: int) -> list[Buffer]:
        """Buffers that instructions touch, in order of first use."""
        found: dict[Buffer, None] = {}
        for inst in insts:
            for value in (*inst.values, *([inst.dst] if inst.dst is not None else [])):
                found.setdefault(self._plan.assignment.home(index, value))
        return list(found)

    def fetch(self, code: Code, buffers: Sequence[Buffer]) -> None:
        """Declare local tensors of scratch and constants."""
        c = self._c
        for buffer in buffers:
            if buffer.place in (Place.TEMP, Place.CONSTANT):
                local = c.local(buffer)
                code.add(f"{c.tensor_type(buffer)} {local} = {self._get(buffer, local)};")

    def _get(self, buffer: Buffer, local: str) -> str:
        c = self._c
        if self.is_pooled(buffer):
            pool, tile = self.pool(), c.constant("tile length", self._plan.tile)
            times = "" if buffer.index == 1 else f"{buffer.index} * "
            offset = "0" if buffer.index == 0 else f"{times}{tile} * sizeof(float)"
            return f"{pool}.GetWithOffset<float>({tile}, {offset})"
        if self.is_queued(buffer):
            return f"{self.queue(buffer)}.AllocTensor<{buffer.storage.ctype}>()"
        return f"{self.tbuf(buffer)}.Get<{buffer.storage.ctype}>()"

    def is_queued(self, buffer: Buffer) -> bool:
        """Whether a scratch tensor is taken from a queue and given back."""
        return self._plan.queue_temps and buffer.place is Place.TEMP and not buffer.is_row

    def queue(self, buffer: Buffer) -> str:
        """The queue of a scratch tensor."""
        c = self._c
        kind = f"{c.q('TQue')}<{c.q(f'{c.position}::VECOUT')}, 1>"
        name = c.names.get(f"queue of {c.local(buffer)}", f"{c.local(buffer)}Queue")
        return c.member(kind, name, is_buffer=True)

    def release(self, code: Code, buffers: Sequence[Buffer]) -> None:
        """Give scratch tensors back to their queues."""
        for buffer in buffers:
            if self.is_queued(buffer):
                code.add(f"{self.queue(buffer)}.FreeTensor({self._c.local(buffer)});")

    def pool(self) -> str:
        """The TBuf that scratch tensors of one type share."""
        return self._c.tbuf(self._c.names.variable("calcBuf"))

    @property
    def pooled(self) -> list[Buffer]:
        """Scratch tensors that are parts of one TBuf."""
        if not self._c.style.one_buffer or self._walk not in (Walk.FLAT, Walk.CHUNKED):
            return []
        found = [
            b
            for b in self._plan.assignment.buffers
            if b.place is Place.TEMP and b.storage is Storage.FLOAT and not b.is_row
        ]
        return found if len(found) > 1 else []

    def is_pooled(self, buffer: Buffer) -> bool:
        """Whether a buffer is a part of the common TBuf."""
        return buffer in self.pooled

    def tbuf(self, buffer: Buffer) -> str:
        """The TBuf of a scratch or constant buffer."""
        local = self._c.local(buffer)
        return self._c.tbuf(self._c.names.get(f"tbuf {local}", f"{local}Buf"))

    # ---- instructions ------------------------------------------------------------------------------------------

    def write(self, code: Code, insts: Sequence[Inst], scope: Scope) -> None:
        """All instructions that compute; loads and stores are left to the caller."""
        group: list[Inst] = []
        for inst in insts:
            if inst.op in (Op.LOAD, Op.STORE):
                continue
            if self._walk is Walk.BLOCK and self._by_row(inst) and not self._spreads(inst):
                group.append(inst)
                continue
            self._row_loop(code, group, scope)
            group = []
            self._one(code, inst, scope)
        self._row_loop(code, group, scope)

    def _one(self, code: Code, inst: Inst, scope: Scope) -> None:
        if inst.op in REDUCTIONS:
            code.add(*self._remark(inst))
            assert inst.dst is not None and isinstance(inst.args[0], Value)
            tensor = self.tensor(scope.index)
            label = self._c.local(self._plan.assignment.home(scope.index, inst.dst))
            operands = tensor(inst.dst), tensor(inst.args[0])
            it = Reduction(inst.op, *operands, label, count=scope.exact, rows=scope.rows, first=scope.first)
            self._reducer.write(code, it)
        elif inst.op is Op.MOVE:
            self._move(code, inst, scope)
        elif self._walk is Walk.BLOCK and self._spreads(inst) and inst.lane is Lane.FULL:
            self._with_blocks(code, inst, scope)
        else:
            if self._walk is not Walk.BLOCK or inst.lane is not Lane.FULL:
                self._declare_rows(code, inst, scope)
            count = scope.rows if inst.lane is Lane.ROW else scope.full
            code.add(self._call(inst, scope, count) + self._trailing(inst))

    def _call(self, inst: Inst, scope: Scope, count: str, index: Callable[[Value], str] = lambda value: "") -> str:
        c = self._c
        at = Site(
            tensor=self.tensor(scope.index),
            scalar=c.scalar_text(lambda s: scope.declared[s.row]),
            count=count,
            qualify=c.q,
            new_names=c.style.new_names,
            repeats=inst.op in self._plan.repeat_ops and inst.lane is not Lane.ROW,
            index=index,
        )
        return call(inst, at)

    def _move(self, code: Code, inst: Inst, scope: Scope) -> None:
        assert inst.dst is not None and isinstance(inst.args[0], Value)
        c, tensor = self._c, self.tensor(scope.index)
        unit = 256 // inst.dst.storage.bits
        count = scope.rows if inst.lane is Lane.ROW else scope.full
        whole = str(unit) if count == "1" else f"({count} + {unit - 1}) / {unit} * {unit}"
        code.add(f"{c.q('DataCopy')}({tensor(inst.dst)}, {tensor(inst.args[0])}, {whole});" + self._trailing(inst))

    # ---- per-row scalars ---------------------------------------------------------------------------------------

    def _declare_rows(self, code: Code, inst: Inst, scope: Scope, at: str = "0") -> None:
        """Read the row values that an instruction's scalars need into variables, each once."""
        for value in _row_values(inst):
            if value not in scope.declared:
                words = value.note if value.note.replace(" ", "").isalnum() else "row"
                name = self._c.names.get(f"row scalar {value.id}", f"{camel(words)}Value")
                scope.declared[value] = name
                if at == "0" and self._c.style.scalar_event:
                    with code.block(""):
                        self._c.event(code, "V_S")
                code.add(f"const float {name} = {self.tensor(scope.index)(value)}.GetValue({at});")

    def _by_row(self, inst: Inst) -> bool:
        if inst.op in REDUCTIONS or inst.lane is not Lane.FULL:
            return False
        return reads_rows(inst) or any(isinstance(a, Value) and a.lane is Lane.VECTOR for a in inst.args)

    def _row_loop(self, code: Code, group: Sequence[Inst], scope: Scope) -> None:
        """Instructions that differ from row to row, in one loop over the rows of a tile."""
        if not group:
            return
        c = self._c
        r, pitch = c.names.variable("r"), c.number("pitch")
        code.add(*c.comment("one row at a time: the scalar differs", rich=True))
        with code.block(f"for (uint32_t {r} = 0; {r} < {scope.rows}; ++{r})"):
            inner = Scope(scope.index, scope.exact, scope.exact, scope.rows)
            for inst in group:
                self._declare_rows(code, inst, inner, r)
                offset: Callable[[Value], str] = lambda v: f"[{r} * {pitch}]" if v.lane is Lane.FULL else ""  # noqa: E731
                code.add(self._call(inst, inner, scope.exact, offset) + self._trailing(inst))

    def _spreads(self, inst: Inst) -> bool:
        """Whether what differs from row to row, or the row that all rows share, is applied by repeats over the rows."""
        if not self._c.style.brcb or inst.dst is None or inst.dst.storage is not Storage.FLOAT:
            return False
        if inst.lane is not Lane.FULL:
            return False
        return _spread_form(inst) is not None

    def _with_blocks(self, code: Code, inst: Inst, scope: Scope) -> None:
        """One instruction per 64 columns; a repeat is a row."""
        c, tensor = self._c, self.tensor(scope.index)
        form = _spread_form(inst)
        assert form is not None and inst.dst is not None
        pitch, i, length = c.number("pitch"), c.names.variable("col"), scope.exact
        lanes, stride = c.names.variable("lanes"), c.names.variable("stride")
        if form.row is not None:
            blocks = c.names.get("spread tensor", "spreadLocal")
            times = f"static_cast<uint8_t>(({scope.rows} + 7) / 8)"
            code.add(f"{c.q('Brcb')}({blocks}, {tensor(form.row)}, {times}, {{1, 8}});")
            texts, strides = [f"{tensor(form.left)}[{i}]", blocks], f"{{1, 1, 0, {stride}, {stride}, 1}}"
        else:
            assert form.right is not None
            texts = [f"{tensor(value)}[{i}]" for value in (form.left, form.right)]
            steps = ["0" if value.lane is Lane.VECTOR else stride for value in (form.left, form.right)]
            strides = f"{{1, 1, 1, {stride}, {', '.join(steps)}}}"
        with code.block(f"for (uint32_t {i} = 0; {i} < {length}; {i} += {LANES})"):
            code.add(f"const uint64_t {lanes} = {length} - {i} < {LANES} ? {length} - {i} : {LANES};")
            code.add(f"const uint8_t {stride} = static_cast<uint8_t>({pitch} / 8);")
            operands = ", ".join([f"{tensor(inst.dst)}[{i}]", *texts])
            times = f"static_cast<uint8_t>({scope.rows})"
            code.add(f"{c.q(form.name)}({operands}, {lanes}, {times}, {strides});" + self._trailing(inst))

    @property
    def spreads_any(self) -> bool:
        """Whether the kernel needs a buffer for Brcb."""
        if self._walk is not Walk.BLOCK:
            return False
        forms = [_spread_form(inst) for inst in self._plan.program.insts if self._spreads(inst)]
        return any(form is not None and form.row is not None for form in forms)

    # ---- comments ----------------------------------------------------------------------------------------------

    def _remark(self, inst: Inst) -> tuple[str, ...]:
        assert inst.dst is not None
        return self._c.comment(inst.dst.note) if inst.dst.note in self._named else ()

    def _trailing(self, inst: Inst) -> str:
        assert inst.dst is not None
        note, comments = inst.dst.note, self._c.style.comments
        says_nothing = is_plain(note) or note == inst.op.lower()
        if says_nothing or comments is Comments.NONE or (comments is Comments.BRIEF and note not in self._named):
            return ""
        return f"  // {note}"


def _row_values(inst: Inst) -> list[Value]:
    return [p.row for arg in inst.args if isinstance(arg, Scalar) for p in arg.walk() if p.row is not None]


@dataclass(frozen=True)
class _Form:
    """An instruction over the rows of a tile as one repeat per row."""

    name: str
    left: Value
    right: Value | None = None
    """Second operand, where it is a tensor."""
    row: Value | None = None
    """Value per row, which Brcb spreads to blocks, as the second operand."""


def _spread_form(inst: Inst) -> _Form | None:
    """The tensor form of an operation with a row scalar (x + s, x - s, x * s, x / s, max, min) or a shared row."""
    if inst.op in BINARY and inst.view is None:
        a, b = inst.args
        if isinstance(a, Value) and isinstance(b, Value) and {a.lane, b.lane} == {Lane.FULL, Lane.VECTOR}:
            return _Form(inst.op.value, a, right=b)
    if inst.op in _WITH_BLOCKS:
        x, s = inst.args
        named = _row_operand(inst.op, s) if isinstance(s, Scalar) else None
        if isinstance(x, Value) and x.lane is Lane.FULL and named is not None:
            return _Form(named[0], x, row=named[1])
    return None


def _row_operand(op: Op, s: Scalar) -> tuple[str, Value] | None:
    """The tensor operation and the ROW value that a scalar operation comes down to."""
    if s.row is not None:
        return _WITH_BLOCKS[op], s.row
    if op is Op.ADDS and s.op is ScalarOp.NEG and s.args[0].row is not None:
        return "Sub", s.args[0].row
    if op is Op.MULS and s.op is ScalarOp.DIV and s.args[0].is_const and s.args[0].number == 1:
        return None if s.args[1].row is None else ("Div", s.args[1].row)
    return None
