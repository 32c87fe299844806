"""Evaluation of formulas: values, integer width, conversions, special values, errors of the caller."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.errors import TaskError
from agentkernel.formula import evaluate, parse
from agentkernel.formula.erf import erf
from agentkernel.task import AttrSpec, TensorSpec

Array = NDArray[Any]
NAN, INF = math.nan, math.inf


def one(expression: str, *values: object, dtype: str = "float32", out: str | None = None) -> Array:
    """The value of an expression over 1-D inputs a, b, c."""
    arrays = [np.atleast_1d(np.asarray(v)) for v in values]
    names = "abc"[: len(arrays)]
    inputs = [TensorSpec(name=n, dtype=DType(dtype), shape=("n",)) for n in names]
    outputs = [TensorSpec(name="y", dtype=DType(out or dtype), shape=("n",))]
    given_inputs = dict(zip(names, arrays, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return evaluate(parse(f"y = {expression}", inputs, outputs), given_inputs, {})["y"]


@pytest.mark.parametrize(
    ("expression", "value", "expected"),
    [
        ("relu(a)", [-1.0, 2.0, NAN], [0.0, 2.0, NAN]),
        ("sigmoid(a)", [0.0, -800.0, 800.0, NAN], [0.5, 0.0, 1.0, NAN]),
        ("round(a)", [0.5, 1.5, 2.5, -0.5], [0.0, 2.0, 2.0, -0.0]),
        ("floor(a)", [-1.5, 1.5], [-2.0, 1.0]),
        ("ceil(a)", [-1.5, 1.5], [-1.0, 2.0]),
        ("trunc(a)", [-1.5, 1.5], [-1.0, 1.0]),
        ("rsqrt(a)", [4.0, 0.0, -1.0], [0.5, INF, NAN]),
        ("log(a)", [1.0, 0.0, -1.0], [0.0, -INF, NAN]),
        ("clip(a, -1, 1)", [-3.0, 0.25, 3.0, NAN], [-1.0, 0.25, 1.0, NAN]),
        ("maximum(a, 0)", [NAN, -1.0], [NAN, 0.0]),
        ("where(a > 0, 1.0, 2.0)", [1.0, -1.0, NAN], [1.0, 2.0, 2.0]),
        ("where(a != a, 1.0, 0.0)", [1.0, NAN], [0.0, 1.0]),
        ("where(isnan(a), 1.0, 0.0)", [1.0, NAN], [0.0, 1.0]),
        ("where((a > 0) & ~(a > 2) | (a < -5), 1.0, 0.0)", [1.0, 3.0, -6.0], [1.0, 0.0, 1.0]),
        ("softplus(a)", [1000.0, -1000.0, 0.0], [1000.0, 0.0, math.log(2)]),
        ("a * inf", [0.0, 1.0], [NAN, INF]),
        ("a + nan", [0.0], [NAN]),
        ("a * pi", [1.0], [math.pi]),
        ("1 / a ** 2", [2.0], [0.25]),
        ("a ** -2", [2.0], [0.25]),
        ("a ** 2.5", [4.0], [32.0]),
        ("2.0 ** a", [3.0], [8.0]),
        ("-a", [1.0], [-1.0]),
        ("abs(+a)", [-1.0], [1.0]),
        ("silu(a)", [0.0, 1.0], [0.0, 1 / (1 + math.exp(-1))]),
        ("gelu(a)", [0.0, 1.0], [0.0, 0.5 * (1 + math.erf(math.sqrt(0.5)))]),
        ("gelu_tanh(a)", [1.0], [0.5 * (1 + math.tanh(math.sqrt(2 / math.pi) * 1.044715))]),
    ],
)
def test_functions(expression: str, value: list[float], expected: list[float]) -> None:
    np.testing.assert_allclose(one(expression, value), expected, rtol=1e-15)


@pytest.mark.parametrize(
    ("expression", "value", "expected", "dtype"),
    [
        ("a + 1", [127, -128], [-128, -127], "int8"),
        ("a * a", [65536, 3], [0, 9], "int32"),
        ("a + 1 - 1", [2**31 - 1], [2**31 - 1], "int32"),
        ("(a + 1) >> 1", [2**31 - 1], [-(2**30)], "int32"),
        ("a - 1", [0], [65535], "uint16"),
        ("~a", [0], [255], "uint8"),
        ("-a", [-128], [-128], "int8"),
        ("a >> 1", [-3, 3], [-2, 1], "int16"),
        ("a >> 200", [-3, 3], [-1, 0], "int16"),
        ("a << 15", [1], [-32768], "int16"),
        ("a << 99", [1], [0], "int16"),
        ("(a & 12) | 1 ^ 3", [7], [6], "int32"),
        ("max(a, axis=None)", [1, 5, 2], [5, 5, 5], "int32"),
        ("sum(a, axis=None)", [100, 100], [-56, -56], "int8"),
        ("where(a > 2, a, 0)", [1, 3], [0, 3], "int64"),
        ("maximum(relu(a), abs(a))", [-4, 3], [4, 3], "int32"),
    ],
)
def test_integers_wrap_to_their_width_at_every_step(
    expression: str, value: list[int], expected: list[int], dtype: str
) -> None:
    got = one(expression, value, dtype=dtype)
    assert got.dtype == np.int64
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        ("int8", [1.9, -1.9, 200.0, -200.0, NAN, INF, -INF], [1, -1, 127, -128, 0, 127, -128]),
        ("int32", [2.0**31, -(2.0**31), 1e30], [2**31 - 1, -(2**31), 2**31 - 1]),
        ("int64", [2.0**63, -(2.0**63), 2.0**62, INF, -INF], [2**63 - 1, -(2**63), 2**62, 2**63 - 1, -(2**63)]),
        ("uint8", [-1.0, 255.9, 256.0], [0, 255, 255]),
    ],
)
def test_float_to_integer_truncates_and_saturates(dtype: str, value: list[float], expected: list[int]) -> None:
    np.testing.assert_array_equal(one(f"cast(a, '{dtype}')", value, out=dtype), expected)


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        ("float16", [1 + 2**-11, 1 + 3 * 2**-11, 65519.0, 65520.0, NAN], [1.0, 1 + 2**-9, 65504.0, INF, NAN]),
        ("bfloat16", [1 + 2**-8, 1 + 3 * 2**-8], [1.0, 1 + 2**-6]),
        ("float32", [1 + 2**-24, 1e39], [1.0, INF]),
    ],
)
def test_float_casts_round_to_nearest_even(dtype: str, value: list[float], expected: list[float]) -> None:
    np.testing.assert_array_equal(one(f"cast(1 * a, '{dtype}')", np.float64(value), out="float32"), expected)


def test_integer_casts_saturate() -> None:
    np.testing.assert_array_equal(one("cast(a, 'int8')", [300, -300, 5], dtype="int32", out="int8"), [127, -128, 5])
    np.testing.assert_array_equal(one("cast(a, 'bool')", [0, 3], dtype="int32", out="bool"), [False, True])
    np.testing.assert_array_equal(one("cast(a > 0, 'uint8')", [-1.0, 3.0], out="uint8"), [0, 1])


def test_rounding_to_one_precision_at_every_step() -> None:
    spec = TensorSpec(name="a", dtype=DType.FLOAT16, shape=("n",))
    graph = parse("y = (a + 1) - 1", [spec], [spec.model_copy(update={"name": "y"})])
    a = np.array([2.0**-12])
    assert evaluate(graph, {"a": a}, {})["y"] == 2.0**-12
    assert evaluate(graph, {"a": a}, {}, precision=DType.FLOAT16)["y"] == 0.0


MATRIX = TensorSpec(name="x", dtype=DType.FLOAT32, shape=("rows", "cols"))
ROWS = TensorSpec(name="m", dtype=DType.FLOAT32, shape=("rows",))
FULL = TensorSpec(name="y", dtype=DType.FLOAT32, shape=("rows", "cols"))


def test_two_outputs_of_different_shape() -> None:
    graph = parse("m = mean(x)\ny = x - m", [MATRIX], [ROWS, FULL])
    x = np.array([[1.0, 3.0], [2.0, 8.0]])
    outputs = evaluate(graph, {"x": x}, {})
    np.testing.assert_array_equal(outputs["m"], [2.0, 5.0])
    np.testing.assert_array_equal(outputs["y"], [[-1.0, 1.0], [-3.0, 3.0]])


def test_values_broadcast_to_the_output() -> None:
    graph = parse("y = max(x)", [MATRIX], [FULL])
    np.testing.assert_array_equal(evaluate(graph, {"x": np.eye(2)}, {})["y"], np.ones((2, 2)))


def test_equal_sizes_do_not_confuse_rows_and_columns() -> None:
    graph = parse("m = sum(x)", [MATRIX], [ROWS])
    np.testing.assert_array_equal(evaluate(graph, {"x": np.array([[1.0, 2.0], [3.0, 4.0]])}, {})["m"], [3.0, 7.0])


def test_outputs_do_not_share_memory_with_inputs() -> None:
    graph = parse("y = x", [MATRIX], [FULL])
    x = np.ones((2, 2))
    evaluate(graph, {"x": x}, {})["y"][:] = 7
    assert x[0, 0] == 1


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("x + x * x", lambda x: x + x * x),
        ("(x - max(x)) * x", lambda x: (x - x.max(axis=1, keepdims=True)) * x),
        ("exp(x)", np.exp),
        ("max(x) - x", lambda x: x.max(axis=1, keepdims=True) - x),
        ("(x + 1) * (x + 1)", lambda x: (x + 1) * (x + 1)),
    ],
)
def test_nothing_is_overwritten_that_is_read_later(formula: str, expected: Callable[[Array], Array]) -> None:
    graph = parse(f"y = {formula}\nz = x", [MATRIX], [FULL, FULL.model_copy(update={"name": "z"})])
    x = np.arange(6.0).reshape(2, 3)
    given = evaluate(graph, {"x": x}, {})
    np.testing.assert_array_equal(given["y"], expected(np.arange(6.0).reshape(2, 3)))
    np.testing.assert_array_equal(given["z"], np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(x, np.arange(6.0).reshape(2, 3))
    assert not np.may_share_memory(given["y"], given["z"])


def test_two_names_of_one_value_are_two_arrays() -> None:
    graph = parse("y = x * 2\nz = y", [MATRIX], [FULL, FULL.model_copy(update={"name": "z"})])
    given = evaluate(graph, {"x": np.ones((2, 2))}, {})
    given["y"][:] = 7
    assert given["z"][0, 0] == 2


def test_attributes_and_sizes() -> None:
    attrs = [
        AttrSpec(name="scale", type="float", default=1.0),
        AttrSpec(name="steps", type="int", default=1),
        AttrSpec(name="on", type="bool", default=True),
    ]
    graph = parse("y = where(on, x * scale + steps, x / cols)", [MATRIX], [FULL], attrs)
    x = np.full((1, 4), 2.0)
    values = {"scale": 3.0, "steps": 1, "on": True}
    assert evaluate(graph, {"x": x}, values)["y"][0, 0] == 7.0
    assert evaluate(graph, {"x": x}, {**values, "on": False})["y"][0, 0] == 0.5


def test_missing_and_misshapen_inputs_are_errors_of_the_caller() -> None:
    graph = parse("y = x", [MATRIX], [FULL])
    with pytest.raises(TaskError, match="input 'x' is missing"):
        evaluate(graph, {}, {})
    with pytest.raises(TaskError, match="has shape"):
        evaluate(graph, {"x": np.ones(3)}, {})
    with pytest.raises(TaskError, match="cols is 4"):
        evaluate(graph, {"x": np.ones((2, 3))}, {}, {"cols": 4})


def test_sizes_that_only_outputs_have_must_be_given() -> None:
    graph = parse("y = x", [MATRIX], [TensorSpec(name="y", dtype=DType.FLOAT32, shape=("k", "rows", "cols"))])
    with pytest.raises(TaskError, match="size 'k'"):
        evaluate(graph, {"x": np.ones((2, 3))}, {})
    assert evaluate(graph, {"x": np.ones((2, 3))}, {}, {"k": 5})["y"].shape == (5, 2, 3)


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=50))
def test_softmax_sums_to_one_and_ignores_a_shift(values: list[float]) -> None:
    graph = parse("e = exp(x - max(x))\ny = e / sum(e)", [MATRIX], [FULL])
    x = np.array([values])
    y = evaluate(graph, {"x": x}, {})["y"]
    assert math.isclose(y.sum(), 1.0, rel_tol=1e-12)
    np.testing.assert_allclose(evaluate(graph, {"x": x + 1000}, {})["y"], y, rtol=1e-10)


@given(st.floats(-8, 8) | st.floats(-1e-300, 1e-300))
def test_erf_agrees_with_the_c_library(x: float) -> None:
    assert math.isclose(erf(np.array([x]))[0], math.erf(x), rel_tol=5e-16 * 4, abs_tol=0.0)


def test_erf_of_special_values() -> None:
    np.testing.assert_array_equal(erf(np.array([INF, -INF, NAN, 0.0])), [1.0, -1.0, NAN, 0.0])


LEAVES = st.sampled_from(["a", "b", "0.5", "2", "c"])


def _grown(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    unary = st.tuples(st.sampled_from(["relu", "tanh", "abs", "floor", "sigmoid"]), children)
    binary = st.tuples(children, st.sampled_from(["+", "-", "*"]), children)
    choice = st.tuples(children, st.sampled_from(["<", ">=", "=="]), children, children)
    return (
        unary.map(lambda t: f"{t[0]}({t[1]})")
        | binary.map(lambda t: f"({t[0]} {t[1]} {t[2]})")
        | choice.map(lambda t: f"where({t[0]} {t[1]} {t[2]}, {t[3]}, {t[0]})")
        | st.tuples(children, children).map(lambda t: f"maximum({t[0]}, {t[1]})")
    )


@settings(max_examples=150)
@given(st.recursive(LEAVES, _grown, max_leaves=12))
def test_any_expression_means_what_python_and_numpy_mean(expression: str) -> None:
    a, b, c = np.array([-1.5, 0.0, 2.25]), np.array([0.5, -0.0, 3.0]), np.array([1.0, -4.0, 0.125])
    space = {
        "a": a, "b": b, "c": c, "relu": lambda x: np.maximum(x, 0), "tanh": np.tanh, "abs": np.abs, "floor": np.floor,
        "sigmoid": lambda x: 1 / (1 + np.exp(-np.float64(x))), "where": np.where, "maximum": np.maximum,
    }  # fmt: skip
    with np.errstate(all="ignore"):
        expected = np.broadcast_to(eval(expression, space), (3,))
    np.testing.assert_allclose(one(f"{expression} + 0 * a", a, b, c), expected + 0 * a, rtol=1e-12, atol=1e-300)
