"""Arrays of test values, and how results are compared with what is expected."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from .batch import Array

HALF, FLOAT, BF16 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(ml_dtypes.bfloat16)
INT16, INT32, UINT16, UINT32 = np.dtype(np.int16), np.dtype(np.int32), np.dtype(np.uint16), np.dtype(np.uint32)

CTYPE = {
    HALF: "half",
    FLOAT: "float",
    BF16: "bfloat16_t",
    INT16: "int16_t",
    INT32: "int32_t",
    UINT16: "uint16_t",
    UINT32: "uint32_t",
    np.dtype(np.int8): "int8_t",
    np.dtype(np.uint8): "uint8_t",
    np.dtype(np.int64): "int64_t",
    np.dtype(np.uint64): "uint64_t",
}
"""Name of each NumPy dtype in Ascend C."""


def is_float(dtype: np.dtype) -> bool:
    """Whether values of the type have a fraction."""
    return dtype in (HALF, FLOAT, BF16)


def special_values(dtype: np.dtype) -> Array:
    """Both zeros, ones, infinities, NaN, largest, smallest normal and subnormal values; for integers the corners."""
    if not is_float(dtype):
        info = np.iinfo(dtype)
        signed = [-1, -2, info.min, info.min + 1] if info.min < 0 else []
        return np.array([0, 1, 2, 3, info.max, info.max - 1, info.max // 2, *signed], dtype=dtype)
    info = ml_dtypes.finfo(dtype)
    positive = [0.0, 1.0, 1.5, float(info.max), float(info.smallest_normal), float(info.smallest_subnormal), np.inf]
    return np.array([*positive, *(-v for v in positive), np.nan], dtype=dtype)


def random_values(dtype: np.dtype, count: int, rng: np.random.Generator) -> Array:
    """Finite values over all magnitudes of the type (random bit patterns), specials mixed in for integers' corners."""
    size = np.dtype(f"u{dtype.itemsize}")
    values = rng.integers(0, np.iinfo(size).max, count, dtype=size, endpoint=True).view(dtype)
    if is_float(dtype):
        with np.errstate(invalid="ignore"):  # some of the patterns are signalling NaNs
            wide = values.astype(np.float64)
        values = np.where(np.isfinite(wide), wide, 1.25).astype(dtype)
    return values


def tame_values(dtype: np.dtype, count: int, rng: np.random.Generator, limit: float = 8.0) -> Array:
    """Values of ordinary size, in [-limit, limit]."""
    if is_float(dtype):
        return rng.uniform(-limit, limit, count).astype(dtype)
    low = -limit if np.iinfo(dtype).min < 0 else 0
    return rng.integers(int(low), int(limit), count, endpoint=True).astype(dtype)


def assert_same(got: Array, want: Array, *, zero_sign: bool = True, context: str = "") -> None:
    """Equal bit for bit; any NaN equals any NaN; the sign of zero may be left out."""
    assert got.dtype == want.dtype, f"{context}: dtype {got.dtype}, expected {want.dtype}"
    assert got.shape == want.shape, f"{context}: shape {got.shape}, expected {want.shape}"
    bits = np.dtype(f"u{got.dtype.itemsize}")
    same = np.ascontiguousarray(got).view(bits) == np.ascontiguousarray(want).view(bits)
    if is_float(got.dtype):
        with np.errstate(invalid="ignore"):
            a, b = got.astype(np.float64), want.astype(np.float64)
        same |= np.isnan(a) & np.isnan(b)
        if not zero_sign:
            same |= (a == 0) & (b == 0)
    wrong = np.flatnonzero(~same.ravel())
    shown = [(int(i), got.ravel()[i], want.ravel()[i]) for i in wrong[:8]]
    assert wrong.size == 0, f"{context}: {wrong.size} of {got.size} differ; (index, got, expected): {shown}"


def assert_close(got: Array, want: Array, relative: float, *, context: str = "") -> None:
    """Finite values within a relative error (or the type's smallest normal); infinities and NaN in the same places."""
    a, b = got.astype(np.float64), want.astype(np.float64)
    floor = float(ml_dtypes.finfo(got.dtype).smallest_normal)
    with np.errstate(invalid="ignore"):
        fine = np.abs(a - b) <= relative * np.abs(b) + floor
    fine |= (a == b) | (np.isnan(a) & np.isnan(b))
    wrong = np.flatnonzero(~fine)
    shown = [(int(i), got[i], want[i]) for i in wrong[:8]]
    assert wrong.size == 0, f"{context}: {wrong.size} of {got.size} are off; (index, got, expected): {shown}"
