"""NumPy oracles of the elementwise calls (facts: semantics, sections 3 and 11), in INF/NAN mode."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .batch import Array
from .values import FLOAT, HALF, INT16, INT32, is_float

Oracle = Callable[..., Array]


def quiet(function: Oracle) -> Oracle:
    """The function without NumPy's warnings about overflow and invalid values."""

    def silent(*arrays: Array) -> Array:
        with np.errstate(all="ignore"):
            return function(*arrays)

    return silent


def maximum(a: Array, b: Array) -> Array:
    """NaN if either is NaN; the zero of two zeros is +0 unless both are -0."""
    result = np.maximum(a, b)
    if is_float(a.dtype):
        zeros = (a == 0) & (b == 0)
        result = np.where(zeros, np.where(np.signbit(a) & np.signbit(b), -0.0, 0.0).astype(a.dtype), result)
    return result


def minimum(a: Array, b: Array) -> Array:
    """NaN if either is NaN; the zero of two zeros is -0 unless both are +0."""
    result = np.minimum(a, b)
    if is_float(a.dtype):
        zeros = (a == 0) & (b == 0)
        result = np.where(zeros, np.where(np.signbit(a) | np.signbit(b), -0.0, 0.0).astype(a.dtype), result)
    return result


def relu(a: Array) -> Array:
    """NaN stays, everything not above zero becomes +0."""
    zero = a.dtype.type(0)
    kept = np.where(a > zero, a, zero).astype(a.dtype)
    return np.where(np.isnan(a), a, kept).astype(a.dtype)


def leaky_relu(a: Array, slope: Array) -> Array:
    """Values below zero are multiplied by the slope."""
    return np.where(a < 0, a * slope, a).astype(a.dtype)


ARITHMETIC = (HALF, FLOAT, INT16, INT32)
"""Types of Add, Sub, Mul, Max, Min and of their scalar forms."""

REAL = (HALF, FLOAT)

BINARY: dict[str, Oracle] = {
    "Add": quiet(lambda a, b: a + b),
    "Sub": quiet(lambda a, b: a - b),
    "Mul": quiet(lambda a, b: a * b),
    "Max": quiet(maximum),
    "Min": quiet(minimum),
}
"""Calls whose result is exact in every type."""

SCALAR: dict[str, Oracle] = {
    "Adds": BINARY["Add"],
    "Muls": BINARY["Mul"],
    "Maxs": BINARY["Max"],
    "Mins": BINARY["Min"],
}

UNARY: dict[str, tuple[Oracle, tuple[np.dtype, ...], dict[np.dtype, float]]] = {
    "Exp": (quiet(np.exp), REAL, {HALF: 2e-3, FLOAT: 1e-4}),
    "Ln": (quiet(np.log), REAL, {HALF: 2e-3, FLOAT: 1e-4}),
    "Sqrt": (quiet(np.sqrt), REAL, {HALF: 1e-3, FLOAT: 1e-6}),
    # these two do not reach 1e-3 (half) and 1e-4 (float): facts, section 3
    "Rsqrt": (quiet(lambda a: (1 / np.sqrt(a)).astype(a.dtype)), REAL, {HALF: 1e-2, FLOAT: 1e-2}),
    "Reciprocal": (quiet(lambda a: (1 / a).astype(a.dtype)), REAL, {HALF: 1e-2, FLOAT: 1e-2}),
    "Abs": (quiet(np.abs), REAL, {HALF: 0.0, FLOAT: 0.0}),
    "Relu": (quiet(relu), (HALF, FLOAT, INT32), {HALF: 0.0, FLOAT: 0.0, INT32: 0.0}),
}
"""Oracle, types, and relative error that is allowed, by call. 0 means bit for bit."""
