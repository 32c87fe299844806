"""Lowering of conversions: every pair goes along Cast instructions that Ascend 910B has."""

from __future__ import annotations

from agentkernel.composer.builder import Builder
from agentkernel.composer.errors import Refusal
from agentkernel.composer.integers import Integers
from agentkernel.composer.ir import Op, Operand, Scalar, Storage, Value, const, storage_of
from agentkernel.composer.logic import Logic
from agentkernel.dtypes import DType

BYTES = (DType.INT8, DType.UINT8, DType.BOOL)
"""Types whose values are kept in half, which holds them exactly."""


class Conversions:
    """Builds conversions.

    Args:
        build: Where instructions go.
        ints: Conversions among integers.
        logic: Masks.
        real: Storage that real numbers are computed in.
    """

    def __init__(self, build: Builder, ints: Integers, logic: Logic, real: Storage) -> None:
        self._b = build
        self._ints = ints
        self._logic = logic
        self._real = real

    def loaded(self, x: Value, dtype: DType, note: str) -> Value:
        """An input as it is computed with."""
        if dtype is DType.BOOL:
            half = self._b.cast(x, Storage.HALF, "CAST_NONE", note)
            return self._b.bits(Op.NOT, self._b.compare("EQ", half, const(0.0, Storage.HALF)), note=note)
        if dtype in BYTES:
            return self._b.cast(x, Storage.HALF, "CAST_NONE", note)
        if dtype.is_float and x.storage is not self._real:
            return self._b.cast(x, self._real, "CAST_NONE", f"{note} as {self._real}")
        return x

    def to_bool(self, x: Value, note: str) -> Value:
        """Not equal to zero."""
        if x.storage in (Storage.INT32, Storage.INT16):
            return self._ints.compare("NE", x, const(0, x.storage), note)
        return self._b.bits(Op.NOT, self._b.compare("EQ", x, const(0, x.storage)), note=note)

    def to_real(self, x: Operand, source: DType | None, dtype: DType, note: str) -> Operand:
        """To a real number, rounded to a 16-bit type where that is what the formula asks for.

        Args:
            x: What to convert.
            source: Integer type of `x`, None for a real number.
            dtype: A float type.
            note: For comments.
        """
        if isinstance(x, Scalar):
            return Scalar(x.op, self._real, x.args, x.number, x.name, x.row)
        if source is not None:
            x = self._int_to_real(x, source)
        rounded = {DType.FLOAT16: Storage.HALF, DType.BFLOAT16: Storage.BF16}.get(dtype)
        if rounded is None or rounded is self._real:
            return x
        return self._b.cast(self._b.cast(x, rounded, "CAST_RINT", note), self._real, "CAST_NONE", note)

    def _int_to_real(self, x: Value, source: DType) -> Value:
        if x.storage is self._real:
            return x
        if x.storage is Storage.HALF:
            return self._b.cast(x, Storage.FLOAT, "CAST_NONE")
        if self._real is Storage.HALF or x.storage not in (Storage.INT32, Storage.INT16, Storage.INT64):
            raise Refusal(f"a conversion of {source} to a real number", "Cast has no such pair on Ascend 910B")
        return self._b.cast(x, Storage.FLOAT, "CAST_NONE" if x.storage is Storage.INT16 else "CAST_RINT", "as float")

    def real_to_int(self, x: Value, dtype: DType, mode: str, note: str) -> Value:
        """A real number to an integer with a RoundMode; out of range saturates, NaN gives 0."""
        storage = storage_of(dtype)
        if storage in (Storage.INT32, Storage.INT16):
            return self._b.cast(x, storage, mode, note)
        if storage is Storage.INT64 and x.storage is Storage.FLOAT:
            return self._b.cast(x, storage, mode, note)
        if storage in (Storage.INT8, Storage.UINT8):
            # int16 saturates and is whole; half keeps what the next conversion needs to saturate again
            whole = self._b.cast(x, Storage.INT16, mode, note)
            narrow = self._b.cast(self._b.cast(whole, Storage.HALF, "CAST_RINT"), storage, "CAST_RINT", note)
            return self._b.cast(narrow, Storage.HALF, "CAST_NONE", note)
        raise Refusal(f"a conversion to {dtype}", "Cast has no such pair on Ascend 910B")

    def stored(self, x: Value, dtype: DType, name: str) -> Value:
        """A value in the storage type of an output."""
        storage = storage_of(dtype)
        if x.storage is Storage.MASK:
            x = self._logic.number(x, Storage.HALF, name)
        if x.storage is storage:
            return x
        source = self._b.source(x)
        if source.op is Op.CAST and source.mode == "CAST_NONE":
            inner = source.args[0]
            if isinstance(inner, Value) and inner.storage is storage:
                return inner  # widened from that very type
        if storage is Storage.BF16 or dtype in (*BYTES, DType.FLOAT16):
            return self._b.cast(x, storage, "CAST_RINT", name)
        if storage is Storage.FLOAT and x.storage is Storage.HALF:
            return self._b.cast(x, storage, "CAST_NONE", name)
        raise Refusal(f"an output of {dtype} from {x.storage}", "Cast has no such pair on Ascend 910B")
