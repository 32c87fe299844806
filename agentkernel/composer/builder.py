"""Emission of single instructions: lanes are joined, scalars folded, equal instructions shared."""

from __future__ import annotations

import math
from collections.abc import Callable

from agentkernel.composer.errors import Refusal
from agentkernel.composer.ir import Inst, Lane, Op, Operand, Scalar, ScalarOp, Storage, Value, const

_FOLD: dict[ScalarOp, Callable[[float, float], float]] = {
    ScalarOp.ADD: lambda a, b: a + b,
    ScalarOp.SUB: lambda a, b: a - b,
    ScalarOp.MUL: lambda a, b: a * b,
    ScalarOp.MAX: max,
    ScalarOp.MIN: min,
}
_SCALAR_FORM = {Op.ADD: Op.ADDS, Op.MUL: Op.MULS, Op.MAX: Op.MAXS, Op.MIN: Op.MINS}
_OF_SCALARS = {
    Op.ADD: ScalarOp.ADD, Op.SUB: ScalarOp.SUB, Op.MUL: ScalarOp.MUL, Op.DIV: ScalarOp.DIV,
    Op.MAX: ScalarOp.MAX, Op.MIN: ScalarOp.MIN,
}  # fmt: skip
_FLOATS = (Storage.FLOAT, Storage.HALF)


def join(*lanes: Lane) -> Lane:
    """The lane of a result: ROW and VECTOR together fill the tile."""
    different = set(lanes)
    return next(iter(different)) if len(different) == 1 else Lane.FULL


def scalar(op: ScalarOp, *args: Scalar) -> Scalar:
    """A scalar expression, folded where its parts are literals."""
    storage = args[0].storage
    numbers = [arg.number for arg in args]
    if all(arg.is_const for arg in args):
        if op is ScalarOp.NEG:
            return const(-numbers[0], storage)
        if op is ScalarOp.DIV:
            if numbers[1] != 0:
                return const(numbers[0] / numbers[1], storage)
        elif not any(math.isnan(number) for number in numbers):
            return const(_FOLD[op](*numbers), storage)
    return Scalar(op, storage, args)


class Builder:
    """Grows an instruction list.

    Args:
        double_as_add: Whether x * 2 is written as x + x.
    """

    def __init__(self, *, double_as_add: bool = False) -> None:
        self.insts: list[Inst] = []
        self._known: dict[tuple[object, ...], Value] = {}
        self._source: dict[Value, Inst] = {}
        self._double_as_add = double_as_add

    def emit(
        self,
        op: Op,
        storage: Storage,
        lane: Lane,
        args: tuple[Operand, ...],
        *,
        mode: str = "",
        view: Storage | None = None,
        name: str = "",
        note: str = "",
    ) -> Value:
        """One instruction, or the result of an equal earlier one."""
        key = (op, storage, lane, args, mode, view, name)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Value(len(self._known), storage, lane, note)
            self.insts.append(Inst(op, found, args, mode, view, name))
            self._source[found] = self.insts[-1]
        return found

    def source(self, value: Value) -> Inst:
        """The instruction that gives a value."""
        return self._source[value]

    def store(self, name: str, value: Value) -> None:
        """Hand a value to an output."""
        self.insts.append(Inst(Op.STORE, None, (value,), name=name))

    def unary(self, op: Op, x: Value, *, view: Storage | None = None, note: str = "") -> Value:
        """Exp, Ln, Abs, Sqrt, Relu, Not."""
        return self.emit(op, x.storage, x.lane, (x,), view=view, note=note)

    def binary(self, op: Op, a: Operand, b: Operand, note: str = "") -> Operand:
        """Add, Sub, Mul, Div, Max, Min of values or scalars of one storage type."""
        if isinstance(a, Scalar) and isinstance(b, Scalar):
            return scalar(_OF_SCALARS[op], a, b)
        a, b = self._row_as_scalar(a, b)
        if isinstance(b, Scalar):
            assert isinstance(a, Value)
            return self._with_scalar(op, a, b, note)
        if isinstance(a, Scalar):
            if op is Op.SUB:
                return self._with_scalar(Op.ADD, self._with_scalar(Op.MUL, b, const(-1, b.storage)), a, note)
            if op is Op.DIV:
                lane = Lane.FULL if _has_row(a) else b.lane
                return self.emit(op, b.storage, join(lane, b.lane), (self.fill(a, lane), b), note=note)
            return self._with_scalar(op, b, a, note)
        return self.emit(op, a.storage, join(a.lane, b.lane), (a, b), note=note)

    def _row_as_scalar(self, a: Operand, b: Operand) -> tuple[Operand, Operand]:
        # a ROW operand beside a wider one is one scalar per row
        if isinstance(a, Value) and isinstance(b, Value) and a.lane is not b.lane:
            if b.lane is Lane.ROW:
                return a, self.row(b)
            if a.lane is Lane.ROW:
                return self.row(a), b
        return a, b

    def row(self, value: Value) -> Scalar:
        """The current row's element of a ROW value."""
        return Scalar(ScalarOp.ROW, value.storage, row=value)

    def _with_scalar(self, op: Op, x: Value, s: Scalar, note: str = "") -> Value:
        lane = Lane.FULL if _has_row(s) else x.lane
        if op is Op.SUB:
            op, s = Op.ADD, scalar(ScalarOp.NEG, s)
        elif op is Op.DIV:
            if x.storage not in _FLOATS:
                raise Refusal(f"{x.storage} division", "Div takes half and float only on Ascend 910B")
            op, s = Op.MUL, scalar(ScalarOp.DIV, const(1, s.storage), s)
        if op is Op.MUL:
            x, s = self._merged(x, s)
        if s.is_const and s.number == {Op.ADD: 0, Op.MUL: 1}.get(op):
            return x
        if op is Op.MUL and s.is_const and s.number == 2 and self._double_as_add:
            return self.emit(Op.ADD, x.storage, x.lane, (x, x), note=note)
        return self.emit(_SCALAR_FORM[op], x.storage, lane, (x, s), note=note)

    def _merged(self, x: Value, s: Scalar) -> tuple[Value, Scalar]:
        """The product of two literals in one step, in float only."""
        source = self._source[x]
        if source.op is not Op.MULS or x.storage is not Storage.FLOAT or not s.is_const:
            return x, s
        inner, factor = source.args
        if not isinstance(factor, Scalar) or not factor.is_const or not isinstance(inner, Value):
            return x, s
        # a product that leaves the normal range is kept in two steps
        product = float(factor.number) * float(s.number)
        return (inner, const(product, s.storage)) if 1e-30 < abs(product) < 1e30 else (x, s)

    def fill(self, s: Scalar, lane: Lane = Lane.FULL) -> Value:
        """A tensor of one number."""
        return self.emit(Op.DUPLICATE, s.storage, lane, (s,), note="constant")

    def spread(self, x: Operand, lane: Lane, storage: Storage) -> Value:
        """An operand as a value that fills a lane."""
        if isinstance(x, Scalar):
            return self.fill(x, lane)
        if x.lane is lane:
            return x
        if x.lane is Lane.ROW:
            return self.fill(self.row(x), lane)
        # one row for all rows: adding it to zeros spreads it
        return self.emit(Op.ADD, storage, Lane.FULL, (self.fill(const(0, storage)), x), note="spread over rows")

    def cast(self, x: Value, storage: Storage, mode: str, note: str = "") -> Value:
        """A conversion with a RoundMode."""
        if x.storage is storage and mode == "CAST_NONE":
            return x
        return self.emit(Op.CAST, storage, x.lane, (x,), mode=mode, note=note)

    def compare(self, mode: str, a: Operand, b: Operand, note: str = "") -> Value:
        """A comparison of half, float or (EQ only) int32 operands; the result is a mask."""
        if isinstance(a, Value) and isinstance(b, Value):
            a, b = self._row_as_scalar(a, b)
        if isinstance(a, Scalar):
            a, b, mode = b, a, _FLIPPED[mode]
        assert isinstance(a, Value)
        if isinstance(b, Scalar):
            lane = Lane.FULL if _has_row(b) else a.lane
            return self.emit(Op.COMPARES, Storage.MASK, lane, (a, b), mode=mode, note=note)
        return self.emit(Op.COMPARE, Storage.MASK, join(a.lane, b.lane), (a, b), mode=mode, note=note)

    def bits(self, op: Op, *masks: Value, note: str = "") -> Value:
        """And, Or, Not of masks."""
        lane = join(*(mask.lane for mask in masks))
        wide = tuple(self.widened(mask, lane) for mask in masks)
        return self.emit(op, Storage.MASK, lane, wide, view=Storage.UINT16, note=note)

    def widened(self, mask: Value, lane: Lane) -> Value:
        """A mask of one bit per row as one of the same bit per element."""
        if mask.lane is not Lane.ROW or lane is Lane.ROW:
            return mask
        one = self.fill(const(1.0, Storage.FLOAT), Lane.ROW)
        number = self.select(mask, one, const(0.0, Storage.FLOAT), Storage.FLOAT)
        return self.compare("GT", self.fill(self.row(number)), const(0.5, Storage.FLOAT), mask.note)

    def select(self, mask: Value, a: Operand, b: Operand, storage: Storage, note: str = "") -> Value:
        """`a` where the bit is set, else `b`. Integers are moved as floats of the same width."""
        view = {Storage.INT32: Storage.FLOAT, Storage.INT16: Storage.HALF}.get(storage)
        lane = join(mask.lane, *(x.lane for x in (a, b) if isinstance(x, Value)))
        mask = self.widened(mask, lane)
        a = self.spread(a, lane, storage)
        if isinstance(b, Value) and b.lane is Lane.ROW and lane is not Lane.ROW:
            b = self.row(b)
        if isinstance(b, Scalar) and view is not None:
            b = self.spread(b, lane, storage)
        if isinstance(b, Scalar) and _has_row(b):
            lane = Lane.FULL
        return self.emit(Op.SELECT, storage, lane, (mask, a, b), view=view, note=note)


_FLIPPED = {"LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE", "EQ": "EQ", "NE": "NE"}


def _has_row(s: Scalar) -> bool:
    return any(part.row is not None for part in s.walk())
