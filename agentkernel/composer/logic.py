"""Lowering of comparisons, selections and booleans: packed bits of one per element."""

from __future__ import annotations

from agentkernel.composer.builder import Builder
from agentkernel.composer.errors import Refusal
from agentkernel.composer.integers import Integers
from agentkernel.composer.ir import Op, Operand, Scalar, Storage, Value, const
from agentkernel.formula.graph import BinaryOp

_SELECTABLE = (Storage.FLOAT, Storage.HALF, Storage.INT32, Storage.INT16)


class Logic:
    """Builds comparisons and what follows from them."""

    def __init__(self, build: Builder, ints: Integers) -> None:
        self._b = build
        self._ints = ints

    def compare(self, mode: str, a: Operand, b: Operand, note: str) -> Value:
        """A comparison of two operands of one type."""
        storage = (a if isinstance(a, Value) else b).storage
        if isinstance(a, Scalar) and isinstance(b, Scalar):
            raise Refusal("a condition between scalars", "conditions select per element")
        if storage is Storage.MASK:
            return self._compare_masks(mode, a, b)
        if storage in (Storage.INT32, Storage.INT16):
            return self._ints.compare(mode, a, b, note)
        if storage not in (Storage.FLOAT, Storage.HALF):
            raise Refusal(f"a comparison of {storage}", "Compare takes half, float and (EQ) int32 on Ascend 910B")
        if mode == "NE":
            # Compare NE gives 0 where an operand is NaN; the operator means 1
            return self._b.bits(Op.NOT, self._b.compare("EQ", a, b, note), note=note)
        return self._b.compare(mode, a, b, note)

    def _compare_masks(self, mode: str, a: Operand, b: Operand) -> Value:
        if not isinstance(a, Value) or not isinstance(b, Value):
            raise Refusal("a comparison of booleans with a scalar", "a boolean is its own condition")
        differ = self.both(BinaryOp.XOR, a, b, "differs")
        if mode not in ("EQ", "NE"):
            raise Refusal("an order of booleans", "only == and != are composed")
        return differ if mode == "NE" else self._b.bits(Op.NOT, differ)

    def both(self, op: BinaryOp, a: Operand, b: Operand, note: str) -> Value:
        """And, or, exclusive or of masks."""
        if not isinstance(a, Value) or not isinstance(b, Value):
            raise Refusal(f"{op} with a scalar boolean", "conditions are combined per element")
        if op is BinaryOp.XOR:
            not_both = self._b.bits(Op.NOT, self._b.bits(Op.AND, a, b))
            return self._b.bits(Op.AND, self._b.bits(Op.OR, a, b), not_both, note=note)
        return self._b.bits(Op.AND if op is BinaryOp.AND else Op.OR, a, b, note=note)

    def invert(self, a: Operand, note: str) -> Value:
        """Not."""
        if not isinstance(a, Value):
            raise Refusal("not of a scalar boolean", "conditions are combined per element")
        return self._b.bits(Op.NOT, a, note=note)

    def where(self, cond: Operand, a: Operand, b: Operand, note: str) -> Value:
        """A selection by a mask."""
        if isinstance(cond, Scalar):
            raise Refusal("a selection by a scalar condition", "conditions select per element")
        if a.storage is Storage.MASK:
            if not isinstance(a, Value) or not isinstance(b, Value):
                raise Refusal("a selection of scalar booleans", "conditions are combined per element")
            first = self._b.bits(Op.AND, cond, a)
            second = self._b.bits(Op.AND, self._b.bits(Op.NOT, cond), b)
            return self._b.bits(Op.OR, first, second, note=note)
        if a.storage not in _SELECTABLE:
            raise Refusal(f"a selection of {a.storage}", "Select moves 16 and 32 bit elements")
        return self._b.select(cond, a, b, a.storage, note)

    def number(self, mask: Value, storage: Storage, note: str) -> Value:
        """1 where a bit is set, else 0, in a storage type."""
        real = {Storage.HALF: Storage.HALF, Storage.INT16: Storage.HALF}.get(storage, Storage.FLOAT)
        ones = self._b.fill(const(1.0, real), mask.lane)
        picked = self._b.select(mask, ones, const(0.0, real), real, note)
        return picked if storage is real else self._b.cast(picked, storage, "CAST_RINT", note)
