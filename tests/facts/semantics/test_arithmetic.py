"""Elementwise calls in their count form: rounding, special values, integer wrapping, counts, operators."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from agentkernel.testing.simulate import simulate

from .arithmetic import ARITHMETIC, BINARY, REAL, SCALAR, UNARY, leaky_relu, quiet
from .batch import Array, Batch, explain
from .marks import api, each
from .values import FLOAT, HALF, INT16, INT32, assert_close, assert_same, random_values, special_values, tame_values


def _pairs(dtype: np.dtype, rng: np.random.Generator) -> tuple[Array, Array]:
    """Every pair of special values, then random bit patterns, then ordinary values."""
    crossed = np.array(list(product(special_values(dtype), special_values(dtype))), dtype=dtype)
    first = [crossed[:, 0], random_values(dtype, 300, rng), tame_values(dtype, 301, rng)]
    second = [crossed[:, 1], random_values(dtype, 300, rng), tame_values(dtype, 301, rng)]
    return np.concatenate(first), np.concatenate(second)


@pytest.mark.parametrize("call", each(BINARY))
def test_binary_calls_round_as_ieee_and_wrap_as_integers(call: str) -> None:
    rng = np.random.default_rng(1)
    batch, expected = Batch(), {}
    for dtype in ARITHMETIC:
        a, b = _pairs(dtype, rng)
        x, y, d = batch.put(a), batch.put(b), batch.out(np.full_like(a, 7))
        batch.do(f"{call}({d}, {x}, {y}, {a.size});")
        expected[d] = BINARY[call](a, b)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{call} {want.dtype}")


@api("Div")
def test_division_is_ieee_at_zero_and_infinity() -> None:
    rng = np.random.default_rng(2)
    batch, expected = Batch(), {}
    for dtype in REAL:
        a, b = _pairs(dtype, rng)
        x, y, d = batch.put(a), batch.put(b), batch.out(np.zeros_like(a))
        batch.do(f"Div({d}, {x}, {y}, {a.size});")
        expected[d] = quiet(lambda p, q: p / q)(a, b)
    got = batch.run()
    for name, want in expected.items():
        assert_close(got[name], want, 2e-3 if want.dtype == HALF else 1e-6, context=f"Div {want.dtype}")
        exact = ~np.isfinite(want.astype(np.float64))
        assert_same(got[name][exact], want[exact], context=f"Div {want.dtype}")


@pytest.mark.parametrize("call", each(UNARY))
def test_unary_calls(call: str) -> None:
    oracle, dtypes, tolerance = UNARY[call]
    rng = np.random.default_rng(3)
    batch, expected = Batch(), {}
    for dtype in dtypes:
        a = np.concatenate([random_values(dtype, 200, rng), tame_values(dtype, 301, rng)])
        if call in ("Rsqrt", "Ln", "Sqrt"):
            a = np.abs(a)
        a = a[a != 0] if call in ("Reciprocal", "Rsqrt", "Ln") else a
        x, d = batch.put(a), batch.out(np.zeros_like(a))
        batch.do(f"{call}({d}, {x}, {a.size});")
        expected[d] = oracle(a)
    got = batch.run()
    for name, want in expected.items():
        if tolerance[want.dtype] == 0:
            assert_same(got[name], want, context=f"{call} {want.dtype}")
        else:
            assert_close(got[name], want, tolerance[want.dtype], context=f"{call} {want.dtype}")


_NAN, _INF = float("nan"), float("inf")
_SPECIAL_RESULTS = {
    "Ln": [(0.0, -_INF), (-0.0, -_INF), (-1.0, _NAN), (-_INF, _NAN), (_INF, _INF), (_NAN, _NAN), (1.0, 0.0)],
    "Exp": [(-_INF, 0.0), (_INF, _INF), (_NAN, _NAN), (0.0, 1.0), (-0.0, 1.0)],
    "Sqrt": [(-0.0, -0.0), (0.0, 0.0), (-1.0, _NAN), (-_INF, _NAN), (_INF, _INF), (_NAN, _NAN), (4.0, 2.0)],
    "Rsqrt": [(0.0, _INF), (-1.0, _NAN), (-_INF, _NAN), (_INF, 0.0), (_NAN, _NAN)],
    "Abs": [(-0.0, 0.0), (0.0, 0.0), (-_INF, _INF), (_INF, _INF), (_NAN, _NAN), (-3.0, 3.0)],
    "Relu": [(-0.0, 0.0), (0.0, 0.0), (-_INF, 0.0), (_INF, _INF), (_NAN, _NAN), (-3.0, 0.0), (3.0, 3.0)],
}
"""Argument and result by call (facts: semantics, section 11)."""


@pytest.mark.parametrize("call", each(_SPECIAL_RESULTS))
def test_unary_calls_at_special_values(call: str) -> None:
    table = _SPECIAL_RESULTS[call]
    batch, expected = Batch(), {}
    for dtype in REAL:
        a = np.array([k for k, _ in table], dtype=dtype)
        x, d = batch.put(a), batch.out(np.full_like(a, 9))
        batch.do(f"{call}({d}, {x}, {a.size});")
        expected[d] = np.array([v for _, v in table], dtype=dtype)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{call} {want.dtype}")


@api("Reciprocal")
def test_reciprocal_of_the_largest_float_is_a_subnormal() -> None:
    batch = Batch()
    x, d = batch.put(np.full(8, np.finfo(np.float32).max, np.float32)), batch.out(np.ones(8, np.float32))
    batch.do(f"Reciprocal({d}, {x}, 8);")
    np.testing.assert_allclose(batch.run()[d].astype(np.float64), 2.9387e-39, rtol=1e-2)


@pytest.mark.parametrize("call", each(SCALAR))
def test_scalar_calls(call: str) -> None:
    rng = np.random.default_rng(4)
    batch, expected = Batch(), {}
    for dtype in ARITHMETIC:
        a = np.concatenate([special_values(dtype), random_values(dtype, 60, rng), tame_values(dtype, 31, rng)])
        scalars = special_values(dtype)
        x, s = batch.put(a), batch.put(scalars)
        for i, scalar in enumerate(scalars):
            d = batch.out(np.zeros_like(a))
            batch.do(f"{call}({d}, {x}, {s}.GetValue({i}), {a.size});")
            expected[d] = SCALAR[call](a, np.full_like(a, scalar))
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{call} {want.dtype} {name}")


@api("LeakyRelu")
def test_leaky_relu_scales_what_is_below_zero() -> None:
    rng = np.random.default_rng(5)
    batch, expected = Batch(), {}
    for dtype in REAL:
        a = np.concatenate([np.array([np.inf, -np.inf, np.nan, 0.0], dtype), tame_values(dtype, 301, rng)])
        for slope in (0.01, 0.5):
            x, s = batch.put(a), batch.put(np.array([slope], dtype))
            d = batch.out(np.zeros_like(a))
            batch.do(f"LeakyRelu({d}, {x}, {s}.GetValue(0), {a.size});")
            expected[d] = quiet(leaky_relu)(a, dtype.type(slope))
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"LeakyRelu {want.dtype}")


@api("Add", "Adds", "Abs", "Exp")
def test_a_count_writes_that_many_elements_and_no_more() -> None:
    rng = np.random.default_rng(6)
    batch, expected = Batch(), {}
    for dtype in ARITHMETIC:
        lanes = 256 // dtype.itemsize
        for count in (0, 1, 7, lanes - 1, lanes, lanes + 1, 3 * lanes + 5):
            a, old = tame_values(dtype, 4 * lanes, rng), np.full(4 * lanes, 77, dtype)
            x, d, e = batch.put(a), batch.out(old), batch.out(old)
            batch.do(f"Add({d}, {x}, {x}, {count});", f"Adds({e}, {x}, {x}.GetValue(0), {count});")
            expected[d] = np.concatenate([(a + a)[:count], old[count:]])
            expected[e] = np.concatenate([(a + a[0])[:count], old[count:]])
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{want.dtype} {name}")


_LONG = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    TPipe pipe;
    TBuf<TPosition::VECIN> in;
    TBuf<TPosition::VECOUT> out;
    pipe.InitBuffer(in, 70400);
    pipe.InitBuffer(out, 70400);
    LocalTensor<float> a = in.Get<float>();
    LocalTensor<float> b = out.Get<float>();
    GlobalTensor<float> gx, gy;
    gx.SetGlobalBuffer((__gm__ float *)x, 17600);
    gy.SetGlobalBuffer((__gm__ float *)y, 17600);
    DataCopy(a, gx, 17600);
    PipeBarrier<PIPE_ALL>();
    Adds(b, a, 1.0f, 17600);
    Muls(b, b, 2.0f, 17600);
    PipeBarrier<PIPE_ALL>();
    DataCopy(gy, b, 17600);
}
"""


@api("Adds", "Muls")
def test_a_count_may_need_more_than_255_repeats() -> None:
    values = np.arange(17600, dtype=np.float32)
    result = simulate(_LONG, {"x": values}, {"y": ((17600,), "float32")})
    assert result.completed, explain(result)
    assert result.codes == (), explain(result)
    assert_same(result.outputs["y"], (values + 1) * 2)


@api("Add", "Sub", "Mul", "Div", "And", "Or", "LocalTensor::SetSize")
def test_operators_act_on_the_size_of_the_destination() -> None:
    rng = np.random.default_rng(7)
    batch, expected = Batch(), {}
    a, b = tame_values(FLOAT, 128, rng), tame_values(FLOAT, 128, rng) + np.float32(20)
    x, y = batch.put(a), batch.put(b)
    for sign, want in {"+": a + b, "-": a - b, "*": a * b}.items():
        d = batch.out(np.zeros_like(a))
        batch.do(f"{d} = {x} {sign} {y};")
        expected[d] = want
    short = batch.out(np.zeros_like(a))
    batch.do(f"{short}.SetSize(40);", f"{short} = {x} + {y};")
    expected[short] = np.concatenate([(a + b)[:40], np.zeros(88, FLOAT)])
    quotient = batch.out(np.zeros_like(a))
    batch.do(f"{quotient} = {x} / {y};")
    p, q = random_values(INT16, 128, rng), random_values(INT16, 128, rng)
    u, v = batch.put(p), batch.put(q)
    for sign, want in {"&": p & q, "|": p | q}.items():
        d = batch.out(np.zeros_like(p))
        batch.do(f"{d} = {u} {sign} {v};")
        expected[d] = want
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=name)
    assert_close(got[quotient], a / b, 1e-6)


@api("Add", "Mul", "Max", "Exp", "Muls")
def test_the_destination_may_be_a_source() -> None:
    rng = np.random.default_rng(8)
    batch, expected = Batch(), {}
    for dtype in (HALF, FLOAT, INT32):
        a, b = tame_values(dtype, 200, rng), tame_values(dtype, 200, rng)
        y, d, e, f = batch.put(b), batch.out(a), batch.out(a), batch.out(a)
        batch.do(
            f"Add({d}, {d}, {y}, 200);",
            f"Mul({e}, {y}, {e}, 200);",
            f"Muls({f}, {f}, {y}.GetValue(5), 200);",
        )
        expected.update({d: a + b, e: b * a, f: a * b[5]})
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want.astype(want.dtype), context=f"{want.dtype} {name}")
