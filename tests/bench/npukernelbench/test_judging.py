"""Our own judgement of results."""

import numpy as np

from agentkernel.bench.npukernelbench.judging import Output, judge_outputs

VALUES = np.linspace(1, 2, 64).astype(np.float32)


def judge(got, native=VALUES, double=None):
    wide = None if double is None else [Output("", double)]
    return judge_outputs([Output("", got)], [Output("", native)], wide)


def test_equal_values_pass():
    assert judge(VALUES).passed


def test_a_nan_fails():
    """The benchmark's own checkers let it pass in many tasks."""
    wrong = VALUES.copy()
    wrong[5] = np.nan
    found = judge(wrong)
    assert not found.passed and "at 5" in found.reason


def test_the_exact_reference_counts_where_there_is_one():
    half = (VALUES * 1.001).astype(np.float16)
    assert judge(half, native=half).passed
    assert not judge(half + np.float16(0.25), native=half + np.float16(0.25), double=VALUES.astype(np.float64)).passed


def test_bfloat16_is_judged_against_the_exact_reference():
    import ml_dtypes

    got = VALUES.astype(ml_dtypes.bfloat16)
    assert judge(got, native=got, double=VALUES.astype(np.float64)).passed
    assert judge(got, native=got, double=VALUES.astype(np.float64) * 1.5).max_relative > 0.3
    other = (VALUES * 1.5).astype(ml_dtypes.bfloat16)
    assert not judge(got, native=other, double=VALUES.astype(np.float64) * 1.5).passed


def test_integers_are_compared_with_the_reference_as_it_is():
    got = np.array([1, 2, 3], np.int8)
    assert judge(got, native=got, double=np.array([1.4, 2.4, 3.4])).passed
    assert not judge(got + np.int8(1), native=got).passed


def test_missing_and_extra_outputs_are_noted_and_none_at_all_fails():
    one, two = [Output("0", VALUES)], [Output("0", VALUES), Output("1", VALUES)]
    fewer = judge_outputs(one, two, None)
    assert fewer.passed and fewer.notes == ("1 outputs instead of 2",)
    assert judge_outputs([], one, None).reason == "no output instead of 1"
    found = judge_outputs(two, one, None)
    assert found.passed and found.notes == ("1 outputs have no reference",)


def test_form_is_noted_and_size_fails():
    found = judge(VALUES.reshape(8, 8))
    assert found.passed and found.notes == ("shape [8, 8] for [64]",)
    assert "shape [63]" in judge(VALUES[:63]).reason
    truth = np.array([1, 0, 1], np.int32)
    assert judge(truth.astype(bool), native=truth).notes == ("type bool for int32",)


def test_complex_values_are_judged_by_their_parts():
    values = (VALUES + 1j * VALUES).astype(np.complex64)
    assert judge(values, native=values, double=values.astype(np.complex128)).passed
    assert not judge(np.conj(values), native=values).passed


def test_a_real_reference_is_compared_with_the_real_part():
    """Bindings give magnitudes of complex numbers the type of their input."""
    found = judge(VALUES.astype(np.complex64), native=VALUES, double=VALUES.astype(np.float64))
    assert found.passed and found.notes == ("type complex64 for float32",)


def test_empty_outputs_pass():
    empty = np.empty(0, np.float32)
    assert judge(empty, native=empty).passed
