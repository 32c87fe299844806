"""The precision standard: thresholds, zones, special values, the yardstick of the same precision, what is stricter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from agentkernel.dtypes import DType
from agentkernel.judge.precision import ZONES, PrecisionResult, compare, default_threshold

FLOATS = list(ZONES)
INTS = [DType.INT8, DType.UINT8, DType.INT16, DType.UINT16, DType.INT32, DType.UINT32, DType.INT64]
NAN, INF = np.nan, np.inf


def check(expected: Any, got: Any, dtype: DType = DType.FLOAT32, **options: Any) -> PrecisionResult:
    exact = np.int64 if dtype in INTS else np.float64
    return compare(np.asarray(expected, exact), np.asarray(got, exact).astype(dtype.numpy), dtype, **options)


def spread(n: int = 1000) -> np.ndarray[Any, Any]:
    return np.linspace(1.0, 2.0, n)


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_rounded_reference_passes_in_stage_one(dtype: DType) -> None:
    result = check(spread(), spread(), dtype)
    assert (result.passed, result.stage, result.mean_relative) == (True, 1, 0.0)
    assert not result.bad.any()


@pytest.mark.parametrize("dtype", FLOATS)
def test_stage_one_needs_a_small_mean_and_maximum(dtype: DType) -> None:
    t = default_threshold(dtype)
    g = spread().astype(dtype.numpy).astype(np.float64)
    a = g.copy()
    a[0] *= 1 + 9 * t
    assert check(g, a, dtype).stage == 1
    a[0] = g[0] * (1 + 13 * t)
    result = check(g, a, dtype)
    assert not result.passed
    assert result.stage == 2
    assert np.flatnonzero(result.bad).tolist() == [0]


def test_a_large_mean_without_a_bad_point_passes_in_stage_two() -> None:
    result = check(spread(), spread() * (1 + 5 * 2.0**-13))
    assert result.mean_relative > result.threshold
    assert (result.passed, result.stage) == (True, 2)


def test_normal_points_have_no_free_errors() -> None:
    a = spread()
    a[7] *= 1.01
    assert not check(spread(), a).passed


def test_the_same_precision_computation_weighs_normal_points() -> None:
    g = spread()
    b = g.copy()
    b[:50] *= 1.004
    a = g.copy()
    a[100:200] *= 1.004
    assert check(g, a, same=lambda: b).passed
    a[200:201] *= 1.004
    assert not check(g, a, same=lambda: b).passed


def test_a_coarse_yardstick_does_not_excuse_points_that_are_worse() -> None:
    g = spread()
    b = g.copy()
    b[:50] *= 1.004
    a = g.copy()
    a[-3:] = 0.0
    result = check(g, a, same=lambda: b)
    assert not result.passed
    assert result.gross == 3


def test_a_yardstick_that_overflows_excuses_nothing_beyond_ten_bounds() -> None:
    g = spread()
    assert not check(g, np.zeros_like(g), DType.FLOAT16, same=lambda: np.zeros_like(g)).passed


def test_the_yardstick_is_not_computed_when_stage_one_passes() -> None:
    def never() -> None:
        raise AssertionError

    assert check(spread(), spread(), same=never).passed


@pytest.mark.parametrize("dtype", FLOATS)
def test_small_values_are_judged_by_their_absolute_error(dtype: DType) -> None:
    zone = ZONES[dtype]
    g = spread()
    g[:10] = zone.small_value / 1024
    a = g.copy()
    a[:10] += zone.small_error / 4
    result = check(g, a, dtype)
    assert (result.passed, result.stage) == (True, 2)
    assert not result.bad.any()


def test_two_small_values_are_excused_and_three_are_not() -> None:
    g = spread()
    g[:3] = 0.0
    a = g.copy()
    a[:2] = 2.0**-20
    assert check(g, a).passed
    a[:3] = 2.0**-20
    assert not check(g, a).passed


def test_excused_points_near_zero_must_be_small() -> None:
    """The standard alone would pass this: two points whose expected value is zero may be anything."""
    g = spread()
    g[:2] = 0.0
    a = g.copy()
    a[0] = 0.5
    result = check(g, a)
    assert not result.passed
    assert result.gross == 1
    assert not check([0.0], [100.0]).passed


def test_the_cancellation_zone_excuses_two_points() -> None:
    g = spread()
    g[:3] = 2.0**-9
    a = g.copy()
    a[:2] *= 1.01
    assert check(g, a).passed
    a[:3] = g[:3] * 1.01
    assert not check(g, a).passed


def test_nan_must_match() -> None:
    g = np.array([1.0, NAN, 2.0])
    assert check(g, g).passed
    assert not check(g, [1.0, 5.0, 2.0]).passed
    result = check(g, [NAN, NAN, 2.0])
    assert not result.passed
    assert result.bad.tolist() == [True, False, False]


def test_infinities_must_have_the_same_sign() -> None:
    assert check([INF, -INF, 1.0], [INF, -INF, 1.0]).passed
    result = check([INF, -INF, 1.0], [INF, INF, 1.0])
    assert not result.passed
    assert result.bad.tolist() == [False, True, False]


def test_an_infinity_on_one_side_counts_as_the_largest_value() -> None:
    assert check([INF, 1.0], [65504.0, 1.0], DType.FLOAT16).passed
    assert check([65504.0, 1.0], [INF, 1.0], DType.FLOAT16).passed
    assert not check([INF, 1.0], [100.0, 1.0], DType.FLOAT16).passed
    assert not check([100.0, 1.0], [INF, 1.0], DType.FLOAT16).passed


def test_a_reference_beyond_the_dtype_is_infinite() -> None:
    assert check([1e6], [INF], DType.FLOAT16).passed


def test_nothing_but_specials_passes() -> None:
    assert check([NAN, INF], [NAN, INF]).passed


@pytest.mark.parametrize("dtype", INTS)
def test_integers_are_exact(dtype: DType) -> None:
    g = np.arange(100)
    a = g.copy()
    assert check(g, a, dtype).passed
    a[3] += 1
    result = check(g, a, dtype)
    assert not result.passed
    assert np.flatnonzero(result.bad).tolist() == [3]


def test_integers_at_the_ends_of_their_range() -> None:
    top = 2**63 - 1
    assert check([top, -top - 1], [top, -top - 1], DType.INT64).passed
    assert not check([top], [top - 1], DType.INT64).passed
    assert not check([top], [-top - 1], DType.INT64).passed


def test_an_integer_threshold_is_the_largest_difference() -> None:
    assert check([5, 5], [4, 6], DType.INT8, threshold=1).passed
    assert not check([5, 5], [4, 7], DType.INT8, threshold=1).passed


def test_booleans_are_exact() -> None:
    g = np.array([True, False, False])
    assert compare(g, g.copy(), DType.BOOL).passed
    assert not compare(g, np.array([True, True, False]), DType.BOOL).passed


def test_a_zero_threshold_asks_for_equal_bits() -> None:
    assert check([1.0, 2.0], [1.0, 2.0], DType.BFLOAT16, threshold=0).passed
    assert not check([0.0], [-0.0], DType.FLOAT16, threshold=0).passed
    assert not check([1.0], [1 + 2.0**-23], DType.FLOAT32, threshold=0).passed


def test_a_threshold_overrides_the_mean_and_the_maximum() -> None:
    a = spread() * 1.04
    assert not check(spread(), a).passed
    assert check(spread(), a, threshold=0.05).passed


ARRAYS = npst.arrays(np.float32, st.integers(1, 40), elements=st.floats(-1e4, 1e4, width=32) | st.just(NAN))


@given(ARRAYS)
def test_an_output_always_equals_itself(values: np.ndarray[Any, Any]) -> None:
    result = compare(values.astype(np.float64), values, DType.FLOAT32)
    assert result.passed
    assert not result.bad.any()


@given(ARRAYS, st.randoms(use_true_random=False))
def test_a_wrong_element_that_stands_out_never_passes(values: np.ndarray[Any, Any], random: Any) -> None:
    wrong = values.copy()
    place = random.randrange(values.size)
    scale = float(np.nanmax(np.abs(values), initial=1.0))
    wrong[place] = 1.0 if np.isnan(values[place]) else values[place] + np.float32(2 * scale)
    result = compare(values.astype(np.float64), wrong, DType.FLOAT32)
    assert not result.passed
    assert result.bad[place]


@given(ARRAYS, st.floats(-0.9, 0.9))
def test_results_of_correct_rounding_pass(values: np.ndarray[Any, Any], ulps: float) -> None:
    exact = values.astype(np.float64) * (1 + ulps * 2.0**-24)
    assert compare(exact, values, DType.FLOAT32).passed


@given(ARRAYS, ARRAYS)
def test_a_failure_names_an_element(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> None:
    size = min(a.size, b.size)
    result = compare(a[:size].astype(np.float64), b[:size], DType.FLOAT32)
    assert result.passed or result.bad.any()
    assert np.isfinite([result.mean_relative, result.max_relative]).all()
