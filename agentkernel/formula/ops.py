"""What every operation of the formula language computes, on float64, int64 and bool NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.formula.erf import erf
from agentkernel.formula.graph import BinaryOp, CompareOp, Kind, ReduceOp, UnaryOp

Array = NDArray[Any]


def _sigmoid(x: Array) -> Array:
    # exp of a non-positive number only: no overflow, and the small side keeps its relative precision
    small = np.exp(-np.abs(x))
    result: Array = np.where(x >= 0, 1.0 / (1.0 + small), small / (1.0 + small))
    return np.where(np.isnan(x), x, result)


def _shift_left(a: Array, b: Array) -> Array:
    # NumPy leaves shifts by 64 and more open; arithmetic meaning: everything leaves the word
    return np.where(b >= 64, 0, np.left_shift(a, np.minimum(b, 63)))


def _shift_right(a: Array, b: Array) -> Array:
    return np.right_shift(a, np.minimum(b, 63))


UNARY: dict[UnaryOp, Callable[[Array], Array]] = {
    UnaryOp.NEG: np.negative,
    UnaryOp.ABS: np.abs,
    UnaryOp.EXP: np.exp,
    UnaryOp.LOG: np.log,
    UnaryOp.SQRT: np.sqrt,
    UnaryOp.RSQRT: lambda x: 1.0 / np.sqrt(x),
    UnaryOp.RELU: lambda x: np.maximum(x, np.zeros((), x.dtype)),
    UnaryOp.SIGMOID: _sigmoid,
    UnaryOp.TANH: np.tanh,
    UnaryOp.ERF: erf,
    UnaryOp.FLOOR: np.floor,
    UnaryOp.CEIL: np.ceil,
    UnaryOp.ROUND: np.rint,
    UnaryOp.TRUNC: np.trunc,
    UnaryOp.NOT: np.invert,
}

BINARY: dict[BinaryOp, Callable[[Array, Array], Array]] = {
    BinaryOp.ADD: np.add,
    BinaryOp.SUB: np.subtract,
    BinaryOp.MUL: np.multiply,
    BinaryOp.DIV: np.divide,
    BinaryOp.POW: np.power,
    BinaryOp.MAXIMUM: np.maximum,
    BinaryOp.MINIMUM: np.minimum,
    BinaryOp.AND: np.bitwise_and,
    BinaryOp.OR: np.bitwise_or,
    BinaryOp.XOR: np.bitwise_xor,
    BinaryOp.SHL: _shift_left,
    BinaryOp.SHR: _shift_right,
}

COMPARE: dict[CompareOp, Callable[[Array, Array], Array]] = {
    CompareOp.LT: np.less,
    CompareOp.LE: np.less_equal,
    CompareOp.GT: np.greater,
    CompareOp.GE: np.greater_equal,
    CompareOp.EQ: np.equal,
    CompareOp.NE: np.not_equal,
}

_REDUCE: dict[ReduceOp, Callable[..., Any]] = {
    ReduceOp.SUM: np.sum,
    ReduceOp.MEAN: np.mean,
    ReduceOp.MAX: np.max,
    ReduceOp.MIN: np.min,
}


def reduce(op: ReduceOp, x: Array, axes: tuple[int, ...]) -> Array:
    """A reduction; the axes stay with size 1."""
    result: Array = _REDUCE[op](x, axis=axes, keepdims=True)
    return result


def int_range(dtype: DType) -> tuple[int, int]:
    """Smallest and largest value of an integer type."""
    bits = 8 * dtype.itemsize
    return (0, 2**bits - 1) if dtype.value.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def wrap(x: Array, dtype: DType | None) -> Array:
    """Integers modulo 2^n into the range of a type (two's complement, as integer arithmetic of the chip overflows)."""
    return x if dtype is None else x.astype(dtype.numpy).astype(np.int64)


def cast(x: Array, source: Kind, dtype: DType) -> Array:
    """Conversion to a storage type, carried in float64, int64 or bool again.

    Float to integer is toward zero, saturated, with NaN to 0 (the chip's documented conversion); integer to a narrower
    integer saturates; to a float type the nearest value (ties to even, overflow to infinity) is taken.
    """
    if dtype.is_float:
        return x.astype(dtype.numpy).astype(np.float64)
    if dtype is DType.BOOL:
        return np.asarray(x != 0)
    low, high = int_range(dtype)
    if source is Kind.FLOAT:
        whole = np.trunc(np.nan_to_num(x, nan=0.0, posinf=np.inf, neginf=-np.inf))
        # 2^63 is not an int64: beyond the largest float64 below it the end of the range is put in by hand
        inside = np.clip(whole, max(float(low), -(2.0**63)), min(float(high), 2.0**63 - 1024.0)).astype(np.int64)
        return np.where(whole >= float(high), high, np.where(whole <= float(low), low, inside))
    return np.clip(x.astype(np.int64), low, high)


def fold(op: str, values: Sequence[bool | int | float], kind: Kind) -> bool | int | float:
    """The value of an operation on constants.

    Raises:
        OverflowError: An integer result leaves 64 bits.
        ValueError: A shift by a negative number.
    """
    if op == "where":
        return values[1] if values[0] else values[2]
    if kind is Kind.INT:
        return _fold_int(op, [int(value) for value in values])
    table: dict[str, Callable[..., Array]] = {
        str(name): function for part in (UNARY, BINARY, COMPARE) for name, function in part.items()
    }
    with np.errstate(all="ignore"):
        result = table[op](*(np.asarray(value) for value in values))
    return bool(result) if kind is Kind.BOOL else float(result)


def _fold_int(op: str, values: list[int]) -> int:
    exact: dict[str, Callable[..., int]] = {
        UnaryOp.NEG: lambda x: -x,
        UnaryOp.ABS: abs,
        UnaryOp.RELU: lambda x: max(x, 0),
        UnaryOp.NOT: lambda x: ~x,
        BinaryOp.ADD: lambda a, b: a + b,
        BinaryOp.SUB: lambda a, b: a - b,
        BinaryOp.MUL: lambda a, b: a * b,
        BinaryOp.MAXIMUM: max,
        BinaryOp.MINIMUM: min,
        BinaryOp.AND: lambda a, b: a & b,
        BinaryOp.OR: lambda a, b: a | b,
        BinaryOp.XOR: lambda a, b: a ^ b,
        BinaryOp.SHL: lambda a, b: a << min(b, 64),
        BinaryOp.SHR: lambda a, b: a >> b,
    }
    result = exact[op](*values)
    if not -(2**63) <= result < 2**63:
        raise OverflowError(f"{result} does not fit 64 bits")
    return result
