"""Oracle of Cast, in exact rational arithmetic (facts: semantics, section 10)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np

from .batch import Array

Exact = Fraction | float | None
"""A finite value, an infinity, or None for NaN."""


def exact_values(values: Array) -> list[Exact]:
    """Each element as an exact number."""
    if values.dtype.kind in "iu":
        return [Fraction(int(v)) for v in values]
    wide = values.astype(np.float64)
    return [None if np.isnan(v) else float(v) if np.isinf(v) else Fraction(float(v)) for v in wide]


def round_integral(value: Fraction, mode: str) -> int:
    """The integer that a rounding mode gives."""
    sign = -1 if value < 0 else 1
    if mode in ("CAST_RINT", "CAST_NONE"):
        return round(value)
    if mode == "CAST_FLOOR":
        return math.floor(value)
    if mode == "CAST_CEIL":
        return math.ceil(value)
    if mode == "CAST_ROUND":
        return sign * math.floor(abs(value) + Fraction(1, 2))
    truncated = math.trunc(value)
    if mode == "CAST_ODD" and truncated != value and truncated % 2 == 0:
        return truncated + sign
    return truncated


def to_integer(values: Sequence[Exact], mode: str, dtype: Any, limits: tuple[int, int] | None = None) -> Array:
    """Rounded and saturated to the type's range (or to `limits`); NaN gives 0."""
    info = np.iinfo(dtype)
    low, high = limits or (int(info.min), int(info.max))

    def one(value: Exact) -> int:
        if value is None:
            return 0
        if isinstance(value, float):
            return high if value > 0 else low
        return min(max(round_integral(value, mode), low), high)

    return np.array([one(v) for v in values], dtype=dtype)


def _exponent(value: Fraction) -> int:
    """Largest e with 2**e <= value, for value > 0."""
    e = value.numerator.bit_length() - value.denominator.bit_length()
    return e if Fraction(2) ** e <= value else e - 1


def to_float(values: Sequence[Exact], mode: str, dtype: Any, *, saturate: bool = False) -> Array:
    """Rounded to the format's grid; above the largest value infinity (the largest value in saturation mode)."""
    info = ml_dtypes.finfo(dtype)
    largest = Fraction(float(info.max))

    def one(value: Exact) -> float:
        if value is None:
            return 0.0 if saturate else math.nan
        if isinstance(value, float):
            return math.copysign(float(largest), value) if saturate else value
        if value == 0:
            return 0.0
        quantum = Fraction(2) ** (max(_exponent(abs(value)), info.minexp) - info.nmant)
        rounded = round_integral(value / quantum, mode) * quantum
        if abs(rounded) > largest:
            return math.copysign(float(largest) if saturate else math.inf, value)
        return float(rounded)

    return np.array([one(v) for v in values], dtype=np.float64).astype(dtype)


def to_whole(values: Sequence[Exact], mode: str) -> Array:
    """Float -> float: rounded to a whole number."""
    return np.array(
        [math.nan if v is None else v if isinstance(v, float) else float(round_integral(v, mode)) for v in values],
        dtype=np.float32,
    )
