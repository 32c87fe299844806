"""Reductions over rows, in the form that the walk needs."""

from __future__ import annotations

from dataclasses import dataclass

from agentkernel.composer.code import Code
from agentkernel.composer.context import Context
from agentkernel.composer.ir import Op
from agentkernel.composer.passes import Walk
from agentkernel.composer.tiling import MAX_REPEATS, REPEAT_BYTES

LANES = REPEAT_BYTES // 4
_COMBINE = {Op.SUM: "Add", Op.MAXIMUM: "Max", Op.MINIMUM: "Min"}
_WHOLE = {Op.SUM: "WholeReduceSum", Op.MAXIMUM: "WholeReduceMax", Op.MINIMUM: "WholeReduceMin"}
_WORD = {Op.SUM: "Sum", Op.MAXIMUM: "Max", Op.MINIMUM: "Min"}


@dataclass(frozen=True)
class Reduction:
    """One reduction as it stands in a stage."""

    op: Op
    dst: str
    src: str
    label: str
    """Plain name of the result's tensor."""
    count: str
    """Elements of a row, or of a piece of one."""
    rows: str
    """Rows in the tile (BLOCK)."""
    first: str
    """Condition of the first piece (CHUNKED)."""


class Reducer:
    """Writes reductions of float values."""

    def __init__(self, context: Context) -> None:
        self._c = context
        self._plan = context.plan

    def write(self, code: Code, it: Reduction) -> None:
        """Reduce a row, the rows of a tile, or a piece of a row."""
        match self._plan.walk:
            case Walk.BLOCK:
                code.add(self._rows(it))
            case Walk.CHUNKED:
                self._piece(code, it)
            case _ if self.by_lanes:
                self._lane_helper(it.op)
                code.add(f"{self._helper_name('Row', it.op)}({it.dst}, {it.src}, {self.lanes}, {it.count});")
            case _:
                code.add(self._whole(it.op, it.dst, it.src, it.count))

    def finish(self, code: Code, it: Reduction) -> None:
        """The end of a pass over the pieces of a row, where they were folded into one."""
        code.add(self._whole(it.op, it.dst, self.folded(it.label), it.count))

    @property
    def folds(self) -> bool:
        """Whether pieces are folded elementwise and reduced at the end (CHUNKED)."""
        return self._plan.walk is Walk.CHUNKED and self._c.style.fold

    @property
    def by_lanes(self) -> bool:
        """Whether a row is folded to the lanes of one repeat and those are reduced (SINGLE)."""
        return self._plan.walk is Walk.SINGLE and self._c.style.fold and self._plan.tile <= MAX_REPEATS * LANES

    @property
    def work(self) -> str:
        """The work tensor of complete reductions."""
        return self._c.names.get("reduce work", "reduceWork")

    @property
    def partial(self) -> str:
        """The result of one piece."""
        return self._c.names.get("reduce partial", "partial")

    @property
    def lanes(self) -> str:
        """Rows folded to one repeat each."""
        return self._c.names.get("reduce lanes", "foldLocal")

    def folded(self, label: str) -> str:
        """The tensor that pieces are folded into."""
        return self._c.names.get(f"reduce folded {label}", f"{label}Acc")

    def _whole(self, op: Op, dst: str, src: str, count: str) -> str:
        return f"{self._c.q(op.value)}({dst}, {src}, {self.work}, {count});"

    def _piece(self, code: Code, it: Reduction) -> None:
        c, combine = self._c, self._c.q(_COMBINE[it.op])
        if self.folds:
            folded = self.folded(it.label)
            begin = [f"{c.q('Adds')}({folded}, {it.src}, 0.0f, {it.count});"]
            go_on = [f"{combine}({folded}, {folded}, {it.src}, {it.count});"]
        else:
            begin = [self._whole(it.op, it.dst, it.src, it.count)]
            go_on = [
                self._whole(it.op, self.partial, it.src, it.count),
                f"{combine}({it.dst}, {it.dst}, {self.partial}, 1);",
            ]
        with code.block(f"if ({it.first})", "} else {"):
            code.add(*begin)
        code.add(*("    " + line for line in go_on), "}")

    # ---- rows at once ------------------------------------------------------------------------------------------

    def _rows(self, it: Reduction) -> str:
        pitch = self._c.number("pitch")
        if not self._plan.fold:
            stride = f"static_cast<int32_t>({pitch} / 8)"
            return self._per_row(it.op, (it.dst, it.src), f"static_cast<int32_t>({it.count})", it.rows, stride)
        self._rows_helper(it.op)
        arguments = ", ".join((it.dst, it.src, self.lanes, it.rows, it.count, pitch))
        return f"{self._helper_name('Rows', it.op)}({arguments});"

    def _helper_name(self, what: str, op: Op) -> str:
        return self._c.names.variable(f"{what}{_WORD[op]}")

    def _head(self, name: str, numbers: str) -> str:
        tensor = f"const {self._c.q('LocalTensor')}<float>&"
        return f"__aicore__ inline void {name}({tensor} dst, {tensor} src, {tensor} lanes, {numbers})"

    def _rows_helper(self, op: Op) -> None:
        """Fold every row of a tile to 64 lanes, then reduce the lanes of all rows with one instruction."""
        c, name, code = self._c, self._helper_name("Rows", op), Code()
        code.add(*c.comment(f"Per row: fold its columns to {LANES} lanes, then reduce the lanes"))
        code.add(self._head(name, "uint32_t rows, uint32_t length, uint32_t pitch"), "{")
        body = Code()
        body.add("const uint8_t repeats = static_cast<uint8_t>(rows);")
        body.add("const uint8_t stride = static_cast<uint8_t>(pitch / 8);")
        body.add(f"const uint64_t head = length < {LANES} ? length : {LANES};")
        body.add(f"{c.q('Adds')}(lanes, src, 0.0f, head, repeats, {{1, 1, 8, stride}});")
        with body.block(f"for (uint32_t col = {LANES}; col < length; col += {LANES})"):
            body.add(f"const uint64_t mask = length - col < {LANES} ? length - col : {LANES};")
            body.add(f"{c.q(_COMBINE[op])}(lanes, lanes, src[col], mask, repeats, {{1, 1, 1, 8, 8, stride}});")
        body.add(self._per_row(op, ("dst", "lanes"), "static_cast<int32_t>(head)", "rows", "8"))
        code.add(*("    " + line for line in body.lines), "}")
        c.helper(name, code)

    def _lane_helper(self, op: Op) -> None:
        """Fold a row to 64 lanes with one accumulating instruction, then reduce the lanes."""
        c, name, code = self._c, self._helper_name("Row", op), Code()
        combine = c.q(_COMBINE[op])
        code.add(*c.comment(f"Folds a row to {LANES} lanes (the destination does not advance), then reduces them"))
        code.add(self._head(name, "uint32_t length"), "{")
        body = Code()
        body.add(f"const uint64_t head = length < {LANES} ? length : {LANES};")
        body.add(f"const uint32_t repeats = length / {LANES};", f"const uint64_t tail = length % {LANES};")
        body.add(f"{c.q('Adds')}(lanes, src, 0.0f, head, 1, {{1, 1, 8, 8}});")
        with body.block("if (repeats > 1)"):
            times = "static_cast<uint8_t>(repeats - 1)"
            body.add(f"{combine}(lanes, src[{LANES}], lanes, {LANES}, {times}, {{1, 1, 1, 0, 8, 0}});")
        with body.block("if (repeats > 0 && tail > 0)"):
            body.add(f"{combine}(lanes, src[repeats * {LANES}], lanes, tail, 1, {{1, 1, 1, 0, 8, 0}});")
        body.add(self._per_row(op, ("dst", "lanes"), "static_cast<int32_t>(head)", "1", "8"))
        code.add(*("    " + line for line in body.lines), "}")
        c.helper(name, code)

    def _per_row(self, op: Op, operands: tuple[str, str], mask: str, rows: str, stride: str) -> str:
        c = self._c
        only = f", {c.q('ReduceOrder::ORDER_ONLY_VALUE')}" if op is not Op.SUM else ""
        times = rows if rows.isdigit() else f"static_cast<int32_t>({rows})"
        if c.style.new_names:
            name = f"{c.q('ReduceRepeat')}<{c.q(f'ReduceType::{_WORD[op].upper()}')}>"
        else:
            name = f"{c.q(_WHOLE[op])}<float>"
        return f"{name}({operands[0]}, {operands[1]}, {mask}, {times}, 1, 1, {stride}{only});"
