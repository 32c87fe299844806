"""The precision standard of the Ascend operator ecosystem: how far an output may be from its reference.

Two stages (facts: sockets 1.6). Stage 1 passes an output whose mean relative error is below t and whose maximum is
below 10 t. Stage 2 looks again at what fails: points are sorted into a small-value zone, a cancellation zone and the
rest, points over the zone's bound are counted, and the count is weighed against that of a plain computation in the same
precision (`same`); up to twice as many pass. Without one, the reference itself takes its place.

Two rules are stricter here than the standard, both against wrong kernels that it lets through. Booleans are compared
exactly (the standard takes them for float32, where two wrong zeros pass). And stage 2 excuses points by their number
alone: any two whose expected value is near zero, and, where the same-precision computation is coarse, twice as many
wrong ones as it has inexact ones. Here an excused point must also be no worse than twice the worst point of that
computation; near zero it may be small against the tensor's scale instead, and elsewhere ten times its bound is the most
(`PrecisionResult.gross` counts the points that are worse).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.judge.limits import LIMITS

Array = NDArray[Any]
Same = Callable[[], "Array | None"]
"""Computes the same-precision output when it is needed."""

_EPSILON = 1e-7
"""Added to |expected| in relative errors."""
_RATIO = 2
"""A kernel may have this many times the bad points of the same-precision computation."""
_MAX_OVER_MEAN = 10
_PIECE = 1 << 15
"""Points that are judged at a time: what is computed for them stays in a core's cache."""


@dataclass(frozen=True)
class Zones:
    """Bounds of one float type (facts: sockets 1.6, table)."""

    threshold: float
    """t: bound of the mean relative error; 10 t bounds the maximum."""
    small_value: float
    """Points with |expected| below are judged by their absolute error."""
    small_error: float
    """That absolute error."""
    cancellation: float
    """Points between `small_value` and this, with |got| below this, may be results of cancellation."""


ZONES = {
    DType.FLOAT16: Zones(2.0**-10, 2.0**-11, 2.0**-16, 2.0**-5),
    DType.BFLOAT16: Zones(2.0**-7, 2.0**-8, 2.0**-16, 2.0**-3),
    DType.FLOAT32: Zones(2.0**-13, 2.0**-14, 2.0**-30, 2.0**-8),
}


@dataclass(frozen=True)
class PrecisionResult:
    """Outcome for one output."""

    passed: bool
    stage: int
    """Stage that decided, 1 or 2; 1 for exact comparisons."""
    mean_relative: float
    max_relative: float
    threshold: float
    bad: NDArray[np.bool_]
    """Points that break a bound by themselves, of the output's shape. A pass may have some (stage 2 excuses them)."""
    rounded: Array
    """The reference rounded to the output's dtype."""
    gross: int = 0
    """Points that stage 2 would excuse by their number but that are far off; any fails the output."""

    @property
    def expected(self) -> Array:
        """The rounded reference as float64, int64 or bool."""
        if self.rounded.dtype.kind in "iub":
            return self.rounded
        wide: Array = self.rounded.astype(np.float64)
        return wide


def default_threshold(dtype: DType) -> float:
    """The standard's t for an output dtype; 0 means exact."""
    return ZONES[dtype].threshold if dtype.is_float else 0.0


def compare(
    expected: Array, got: Array, dtype: DType, *, threshold: float | None = None, same: Same | None = None
) -> PrecisionResult:
    """Judge one output.

    Args:
        expected: Reference in float64, int64 or bool.
        got: Output of a kernel, of the same shape and of `dtype`.
        dtype: Element type of the output.
        threshold: Overrides t; the zones stay those of the dtype. For integers the largest allowed difference. 0 with a
            float type asks for equal bits.
        same: Gives the output of a plain computation in the same precision (float64), or None; only called when stage 1
            fails.
    """
    limit = default_threshold(dtype) if threshold is None else threshold
    if not expected.ndim:
        # NumPy makes scalars, which are no arrays, of what is computed from arrays without axes
        row = compare(expected.reshape(1), got.reshape(1), dtype, threshold=limit, same=_as_row(same))
        return replace(row, bad=row.bad.reshape(()), rounded=row.rounded.reshape(()))
    if not dtype.is_float:
        return _exact(expected, got, dtype, limit)
    with np.errstate(all="ignore"):
        if limit == 0:
            return _bits(expected.astype(dtype.numpy), got, dtype)
        return _first_stage(expected, got, dtype, limit) or _floats(expected, got, dtype, limit, same)


def _as_row(same: Same | None) -> Same | None:
    def row() -> Array | None:
        values = same() if same is not None else None
        return None if values is None else np.reshape(values, 1)

    return row if same is not None else None


def _exact(expected: Array, got: Array, dtype: DType, limit: float) -> PrecisionResult:
    if dtype is DType.BOOL:
        wide, mine = expected.astype(np.bool_), got.astype(np.bool_)
        distance = (wide != mine).astype(np.int64)
    else:
        wide, mine = expected.astype(np.int64), got.astype(np.int64)
        # in float64, because the difference of two int64 may not fit one; equal values are exactly 0 apart
        distance = np.where(wide == mine, 0.0, np.maximum(np.abs(wide.astype(np.float64) - mine), 1.0))
    relative = distance / (np.abs(wide.astype(np.float64)) + _EPSILON)
    bad = np.asarray(distance > limit)
    return PrecisionResult(not bad.any(), 1, _mean(relative), _max(relative), limit, bad, wide)


def _bits(rounded: Array, got: Array, dtype: DType) -> PrecisionResult:
    word = {2: np.int16, 4: np.int32}[dtype.itemsize]
    bad = np.asarray(np.ascontiguousarray(rounded).view(word) != np.ascontiguousarray(got).view(word))
    wide = rounded.astype(np.float64)
    relative = np.abs(got.astype(np.float64) - wide) / (np.abs(wide) + _EPSILON)
    relative = relative[np.isfinite(relative)]
    return PrecisionResult(not bad.any(), 1, _mean(relative), _max(relative), 0.0, bad, rounded)


@dataclass(frozen=True)
class _Errors:
    """How far `a` (got) is from `g` (expected), point by point."""

    error: Array
    relative: Array
    zones: _Zoned
    bad: NDArray[np.bool_]
    structural: bool
    """Whether there is a NaN on one side alone, or infinities of different signs."""


def _errors(g: Array, a: Array, dtype: DType, limit: float) -> _Errors:
    nan_differs = np.isnan(g) != np.isnan(a)
    both_inf = np.isinf(g) & np.isinf(a)
    sign_differs = both_inf & (np.sign(g) != np.sign(a))
    g_cut, a_cut = _without_single_inf(g, a, dtype)
    error = np.abs(a_cut - g_cut)
    relative = error / (np.abs(g_cut) + _EPSILON)
    valid = np.isfinite(relative) & ~both_inf
    zones = _Zoned(g_cut, a_cut, valid, ZONES[dtype], _MAX_OVER_MEAN * limit)
    bad = zones.bad(error, relative) | nan_differs | sign_differs
    return _Errors(error, relative, zones, bad, bool(nan_differs.any() or sign_differs.any()))


def _first_stage(expected: Array, got: Array, dtype: DType, limit: float) -> PrecisionResult | None:
    """Stage 1 piece by piece, in little memory; None where the output does not pass it."""
    wanted, given = expected.reshape(-1), got.reshape(-1)
    rounded, bad = np.empty(wanted.shape, dtype.numpy), np.empty(wanted.shape, np.bool_)
    total, count, largest = 0.0, 0, 0.0
    for start in range(0, wanted.size, _PIECE):
        piece = slice(start, start + _PIECE)
        rounded[piece] = wanted[piece]
        found = _errors(rounded[piece].astype(np.float64), given[piece].astype(np.float64), dtype, limit)
        relative = found.relative[found.zones.valid]
        total, count, largest = total + float(relative.sum()), count + relative.size, max(largest, _max(relative))
        bad[piece] = found.bad
        if found.structural or largest >= _MAX_OVER_MEAN * limit > 0:
            return None
    mean = total / count if count else 0.0
    if count and not (mean < limit and largest < _MAX_OVER_MEAN * limit):
        return None
    shape = expected.shape
    return PrecisionResult(True, 1, mean, largest, limit, bad.reshape(shape), rounded.reshape(shape))


def _floats(expected: Array, got: Array, dtype: DType, limit: float, same: Same | None) -> PrecisionResult:
    """Both stages on an output that does not pass the first one piece by piece."""
    rounded = expected.astype(dtype.numpy)
    found = _errors(rounded.astype(np.float64), got.astype(np.float64), dtype, limit)
    relative = found.relative[found.zones.valid]
    mean, largest = _mean(relative), _max(relative)
    if found.structural:
        return PrecisionResult(False, 1, mean, largest, limit, found.bad, rounded)
    passed, gross = found.zones.weighed(found.error, found.relative, same() if same is not None else None)
    return PrecisionResult(passed and gross == 0, 2, mean, largest, limit, found.bad, rounded, gross)


def _without_single_inf(g: Array, a: Array, dtype: DType) -> tuple[Array, Array]:
    """Infinities that only one side has become the largest finite value, which a rounding difference may give."""
    largest = LIMITS[dtype].largest
    only_g, only_a = np.isinf(g) & ~np.isinf(a), np.isinf(a) & ~np.isinf(g)
    return np.where(only_g, np.sign(g) * largest, g), np.where(only_a, np.sign(a) * largest, a)


class _Zoned:
    """The points of one output, sorted into zones."""

    def __init__(self, g: Array, a: Array, valid: Array, zones: Zones, bound: float) -> None:
        size = np.abs(g)
        self._g = g
        self._zones = zones
        self._bound = bound
        self.valid = valid
        self.small = valid & (size < zones.small_value)
        self.cancelled = valid & ~self.small & (np.abs(a) < zones.cancellation) & (size < zones.cancellation)
        self.normal = valid & ~self.small & ~self.cancelled

    def bad(self, error: Array, relative: Array) -> NDArray[np.bool_]:
        """Points over their zone's bound."""
        over: NDArray[np.bool_] = np.where(
            self.small, error > self._zones.small_error, self.valid & (relative > self._bound)
        )
        return over

    def weighed(self, error: Array, relative: Array, same: Array | None) -> tuple[bool, int]:
        """Stage 2: whether no zone has more than twice the bad points of the same-precision computation.

        Returns:
            The answer of the standard, and the number of points that it excuses although they are gross.
        """
        b = self._g if same is None else same
        b_error = np.abs(b - self._g)
        b_relative = b_error / (np.abs(self._g) + _EPSILON)
        mine, theirs = self.bad(error, relative), self.bad(b_error, b_relative)
        passed = True
        for zone, free in ((self.small, 1), (self.cancelled, 1), (self.normal, 0)):
            excused = _RATIO * max(int(np.count_nonzero(zone & theirs)), free)
            passed = passed and int(np.count_nonzero(zone & mine)) <= excused
        near_zero = self.small | self.cancelled
        may_be_off = max(_RATIO * _worst(b_error, near_zero), self._noise())
        # a computation that overflows is no yardstick: ten times the bound is the most that it can excuse
        may_be_wrong = min(_RATIO * _worst(b_relative, self.normal), 10 * self._bound)
        gross = mine & np.where(near_zero, error > may_be_off, relative > may_be_wrong)
        return passed, int(np.count_nonzero(gross))

    def _noise(self) -> float:
        """Absolute error that rounding may explain, by the scale of the tensor (median of non-zero values)."""
        sizes = np.abs(self._g[self.valid & (self._g != 0)])
        scale = max(float(np.median(sizes)) if sizes.size else 0.0, self._zones.small_value)
        return max(self._zones.small_error, self._bound / _MAX_OVER_MEAN * scale)


def _worst(errors: Array, zone: Array) -> float:
    return float(np.max(errors, initial=0.0, where=zone & np.isfinite(errors)))


def _mean(values: Array) -> float:
    return float(values.mean()) if values.size else 0.0


def _max(values: Array) -> float:
    return float(values.max()) if values.size else 0.0
