"""Integer operations: int16 and int32 as the vector unit has them, the rest from what it has."""

from __future__ import annotations

from agentkernel.composer.builder import Builder
from agentkernel.composer.errors import Refusal
from agentkernel.composer.ir import Op, Operand, Scalar, Storage, Value, const
from agentkernel.formula.graph import BinaryOp, UnaryOp

_DIRECT = {
    BinaryOp.ADD: Op.ADD,
    BinaryOp.SUB: Op.SUB,
    BinaryOp.MUL: Op.MUL,
    BinaryOp.MAXIMUM: Op.MAX,
    BinaryOp.MINIMUM: Op.MIN,
}


class Integers:
    """Builds integer operations with a builder."""

    def __init__(self, build: Builder) -> None:
        self._b = build

    def unary(self, op: UnaryOp, x: Operand, note: str) -> Operand:
        """-x, |x|, max(x, 0), ~x; the smallest integer wraps as two's complement does."""
        if isinstance(x, Scalar):
            raise Refusal(f"{op} of an integer scalar", "scalars of integer kind are only used beside tensors")
        if op is UnaryOp.NOT:
            return self._b.unary(Op.NOT, x, view=Storage.UINT16, note=note or "~x")
        if op is UnaryOp.RELU:
            return self._b.binary(Op.MAX, x, const(0, x.storage), note or "relu")
        negative = self._b.binary(Op.MUL, x, const(-1, x.storage), note or "-x")
        if op is UnaryOp.NEG:
            return negative
        if op is UnaryOp.ABS:
            return self._b.binary(Op.MAX, x, negative, note or "|x|")
        raise Refusal(f"{op} of integers", "it is a function of real numbers")

    def binary(self, op: BinaryOp, a: Operand, b: Operand, note: str) -> Operand:
        """+ - * max min & | ^ << >>; sums and products wrap."""
        if op in _DIRECT:
            return self._b.binary(_DIRECT[op], a, b, note or str(op))
        if op in (BinaryOp.SHL, BinaryOp.SHR):
            return self._shift(op, a, b, note or str(op))
        storage = (a if isinstance(a, Value) else b).storage
        left, right = self._tensor(a), self._tensor(b)
        if op is BinaryOp.AND:
            return self._bits(Op.AND, left, right, note or "a & b")
        either = self._bits(Op.OR, left, right, note or "a | b")
        if op is BinaryOp.OR:
            return either
        if op is BinaryOp.XOR:
            # what is in either but not in both; the difference has no borrow
            return self._b.emit(
                Op.SUB, storage, either.lane, (either, self._bits(Op.AND, left, right, "a & b")), note=note or "a ^ b"
            )
        raise Refusal(f"{op} of integers", "the vector unit divides real numbers only")

    def _tensor(self, x: Operand) -> Value:
        return x if isinstance(x, Value) else self._b.fill(x)

    def _bits(self, op: Op, a: Value, b: Value, note: str) -> Value:
        if a.lane is not b.lane:
            raise Refusal("a bitwise operation of a matrix and one row or column", "it has no scalar form")
        return self._b.emit(op, a.storage, a.lane, (a, b), view=Storage.UINT16, note=note)

    def _shift(self, op: BinaryOp, x: Operand, by: Operand, note: str) -> Value:
        if isinstance(x, Scalar) or isinstance(by, Value):
            raise Refusal("a shift by a tensor", "ShiftLeft and ShiftRight take a scalar on Ascend 910B")
        if not by.is_const or not 0 <= by.number < x.storage.bits:
            raise Refusal("a shift by other than a constant below the width", "the instruction's range ends there")
        if op is BinaryOp.SHR:
            return self._b.emit(Op.SHIFT_RIGHT, x.storage, x.lane, (x, by), note=note)
        # a signed ShiftLeft keeps the sign bit; the unsigned one is the plain shift
        view = Storage.UINT32 if x.storage is Storage.INT32 else Storage.UINT16
        return self._b.emit(Op.SHIFT_LEFT, x.storage, x.lane, (x, const(by.number, view)), view=view, note=note)

    def compare(self, mode: str, a: Operand, b: Operand, note: str) -> Value:
        """Comparisons of int16 (exactly, as float) and int32 (EQ, with the larger or smaller of both where needed)."""
        if isinstance(a, Scalar):
            assert isinstance(b, Value)
            flipped = {"LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE"}
            a, b, mode = b, a, flipped.get(mode, mode)
        if a.storage is Storage.INT16:
            real_a = self._b.cast(a, Storage.FLOAT, "CAST_NONE")
            real_b = (
                self._b.cast(b, Storage.FLOAT, "CAST_NONE")
                if isinstance(b, Value)
                else const(float(self._number(b)), Storage.FLOAT)
            )
            if mode == "NE":
                return self._b.bits(Op.NOT, self._b.compare("EQ", real_a, real_b), note=note)
            return self._b.compare(mode, real_a, real_b, note)
        if isinstance(b, Scalar) and b.storage is not a.storage:
            b = const(self._number(b), a.storage)
        if mode in ("EQ", "NE"):
            equal = self._b.compare("EQ", a, b, note)
            return equal if mode == "EQ" else self._b.bits(Op.NOT, equal, note=note)
        # a <= b where max(a, b) is b; a < b where not a >= b
        if mode in ("LE", "GT"):
            bound = self._b.binary(Op.MAX, a, b, "larger of both")
        else:
            bound = self._b.binary(Op.MIN, a, b, "smaller of both")
        within = self._b.compare("EQ", bound, b, note)
        return within if mode in ("LE", "GE") else self._b.bits(Op.NOT, within, note=note)

    def _number(self, b: Scalar) -> int:
        if not b.is_const:
            raise Refusal(f"a comparison of integers with the scalar {b.name!r}", "its type differs")
        return int(b.number)

    def convert(self, x: Value, storage: Storage, target: str, note: str) -> Value:
        """One integer type to another; narrower ones saturate. 8-bit values are kept in half."""
        if x.storage is storage and target not in ("int8", "uint8"):
            return x
        steps = {
            (Storage.HALF, "int32"): ((Storage.INT32, "CAST_RINT"),),
            (Storage.HALF, "int16"): ((Storage.INT16, "CAST_RINT"),),
            (Storage.INT32, "int16"): ((Storage.INT16, "CAST_NONE"),),
            (Storage.INT32, "int64"): ((Storage.INT64, "CAST_NONE"),),
            (Storage.INT64, "int32"): ((Storage.INT32, "CAST_NONE"),),
            (Storage.INT16, "int32"): ((Storage.FLOAT, "CAST_NONE"), (Storage.INT32, "CAST_RINT")),
        }
        for byte in ("int8", "uint8"):
            to_byte = ((Storage(f"{byte}_t"), "CAST_RINT"), (Storage.HALF, "CAST_NONE"))
            steps[(Storage.INT32, byte)] = ((Storage.INT16, "CAST_NONE"), (Storage.HALF, "CAST_RINT"), *to_byte)
            steps[(Storage.INT16, byte)] = ((Storage.HALF, "CAST_RINT"), *to_byte)
            steps[(Storage.HALF, byte)] = to_byte
        path = steps.get((x.storage, target))
        if path is None:
            raise Refusal(f"a conversion of {x.storage} to {target}", "Cast has no such pair on Ascend 910B")
        for step, mode in path:
            x = self._b.cast(x, step, mode, note)
        return x
