"""Inputs that hit the corners of a number format, and exact references."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def corners(dtype: Any, n: int, seed: int) -> NDArray[Any]:
    """`n` values: specials first, then random bit patterns (floats of every exponent, NaN among them)."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
        values[:5] = [info.min, info.max, 0, 1, info.max - 1]
        return values
    info = np.finfo(dtype)
    bits = rng.integers(0, 1 << (8 * dtype.itemsize), n, dtype=np.uint64).astype(f"u{dtype.itemsize}")
    values = bits.view(dtype)
    specials = [0.0, -0.0, np.inf, -np.inf, np.nan, info.max, -info.max, info.tiny, -info.smallest_subnormal, 1.0, -1.0]
    values[: len(specials)] = specials
    moderate = rng.uniform(-8, 8, n // 2).astype(dtype)
    values[n - n // 2 :] = moderate
    return values


def shuffled(values: NDArray[Any], seed: int) -> NDArray[Any]:
    """The same values in another order."""
    return np.random.default_rng(seed).permutation(values)


def same(got: NDArray[Any], expected: NDArray[Any]) -> bool:
    """Equal bit for bit, but any NaN equals any NaN."""
    assert got.dtype == expected.dtype and got.shape == expected.shape
    if got.dtype.kind in "iu":
        return bool(np.array_equal(got, expected))
    unsigned = f"u{got.dtype.itemsize}"
    equal = got.view(unsigned) == expected.view(unsigned)
    return bool(np.all(equal | (np.isnan(got) & np.isnan(expected))))


def first_difference(got: NDArray[Any], expected: NDArray[Any]) -> str:
    """Where two arrays first differ, for assertion messages."""
    unsigned = f"u{got.dtype.itemsize}"
    unequal = (got.view(unsigned) != expected.view(unsigned)) & ~(np.isnan(got) & np.isnan(expected))
    where = np.flatnonzero(unequal)
    return "equal" if where.size == 0 else f"at {where[0]}: got {got[where[0]]!r}, expected {expected[where[0]]!r}"
