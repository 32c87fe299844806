"""Element-wise library functions (facts: ascendc_api.csv, high-level rows; semantics, section 22)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from .batch import Array, Batch
from .marks import api
from .values import CTYPE, FLOAT, HALF, INT16, INT32, assert_same

TYPES = (HALF, FLOAT)
COUNT = 100
TOLERANCE = {HALF: 4e-3, FLOAT: 1e-4}
"""The facts give functions, not errors: these are bounds that a wrong function cannot meet."""

Function = Callable[[float], float]

UNARY: dict[str, tuple[Function, float, float]] = {
    "Acos": (math.acos, -0.9, 0.9),
    "Acosh": (math.acosh, 1.5, 9.0),
    "Asin": (math.asin, -0.9, 0.9),
    "Asinh": (math.asinh, -5.0, 5.0),
    "Atan": (math.atan, -5.0, 5.0),
    "Atanh": (math.atanh, -0.8, 0.8),
    "Ceil": (math.ceil, -20.0, 20.0),
    "Cos": (math.cos, -6.0, 6.0),
    "Cosh": (math.cosh, -4.0, 4.0),
    "Erf": (math.erf, -3.0, 3.0),
    "Erfc": (math.erfc, -2.0, 2.0),
    "Floor": (math.floor, -20.0, 20.0),
    "Lgamma": (math.lgamma, 3.0, 9.0),
    "Log": (math.log, 0.1, 50.0),
    "Log2": (math.log2, 0.1, 50.0),
    "Log10": (math.log10, 0.1, 50.0),
    "Round": (round, -20.0, 20.0),
    "Sign": (lambda x: float(np.sign(x)), -3.0, 3.0),
    "Sin": (math.sin, -6.0, 6.0),
    "Sinh": (math.sinh, -4.0, 4.0),
    "Tan": (math.tan, -1.2, 1.2),
    "Gelu": (lambda x: x / (1 + math.exp(-1.5957691216057308 * (x + 0.044715 * x**3))), -4.0, 4.0),
    "FasterGelu": (lambda x: x / (1 + math.exp(-1.702 * x)), -4.0, 4.0),
    "FasterGeluV2": (
        lambda x: x * (float(np.sign(x)) * (-0.1444 * (min(abs(0.7071 * x), 1.769) - 1.769) ** 2 + 0.5) + 0.5),
        -4.0,
        4.0,
    ),
    "Silu": (lambda x: x / (1 + math.exp(-x)), -6.0, 6.0),
    "Sigmoid": (lambda x: 1 / (1 + math.exp(-x)), -6.0, 6.0),
}


def _near(got: Array, want: Array, dtype: np.dtype, context: str) -> None:
    a, b = got.astype(np.float64), want.astype(np.float64)
    bad = np.flatnonzero(~(np.abs(a - b) <= TOLERANCE[dtype] * (1 + np.abs(b))))
    assert bad.size == 0, f"{context}: {[(int(i), a[i], b[i]) for i in bad[:6]]}"


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@api(*UNARY)
def test_functions_of_one_tensor(dtype: np.dtype) -> None:
    batch, expected = Batch(), {}
    rng = np.random.default_rng(4)
    for name, (function, low, high) in UNARY.items():
        x = rng.uniform(low, high, COUNT + 12).astype(dtype)
        if name == "Round":
            x[:4] = [0.5, 1.5, -2.5, 3.5]
        s, d = batch.put(x), batch.out(np.full(COUNT + 12, 7, dtype))
        batch.do(f"{name}({d}, {s}, {COUNT});")
        expected[d] = (name, np.array([function(float(v)) for v in x[:COUNT]]))
    got = batch.run()
    for d, (name, want) in expected.items():
        _near(got[d][:COUNT], want, dtype, f"{name} {dtype}")
        assert (got[d][COUNT:] == 7).all(), f"{name} {dtype} writes behind its count"


@api("Digamma", "Frac")
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_fraction_and_digamma(dtype: np.dtype) -> None:
    batch = Batch()
    x = np.linspace(1, 9, 104).astype(dtype)
    whole = np.linspace(-5, 5, 104).astype(dtype)
    s, t = batch.put(x), batch.put(whole)
    d, f = batch.out(np.zeros(104, dtype)), batch.out(np.zeros(104, dtype))
    batch.do(f"Digamma({d}, {s}, 104);")
    batch.do(f"Frac({f}, {t}, 104);")
    got = batch.run()
    v = x.astype(np.float64)
    shifted, want = v + 10, np.zeros(104)
    for i in range(10):
        want -= 1 / (v + i)
    want += np.log(shifted) - 1 / (2 * shifted) - 1 / (12 * shifted**2) + 1 / (120 * shifted**4)
    _near(got[d], want, dtype, f"Digamma {dtype}")
    _near(got[f], whole.astype(np.float64) - np.trunc(whole.astype(np.float64)), dtype, f"Frac {dtype}")


@api("Swish", "SwiGLU", "ReGlu", "GeGLU", "Fmod", "Power", "ClampMax", "ClampMin")
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_functions_of_two_operands(dtype: np.dtype) -> None:
    batch, rng, expected = Batch(), np.random.default_rng(5), {}
    ctype = CTYPE[dtype]
    x, y = rng.uniform(-4, 4, COUNT + 4).astype(dtype), rng.uniform(-3, 3, COUNT + 4).astype(dtype)
    y[np.abs(y) < 0.25] = 0.5
    a, b = x[:COUNT].astype(np.float64), y[:COUNT].astype(np.float64)
    s, t = batch.put(x), batch.put(y)
    positive = np.abs(x) + dtype.type(0.25)
    p = batch.put(positive.astype(dtype))

    def check(name: str, call: str, want: Array) -> None:
        d = batch.out(np.full(COUNT + 4, 7, dtype))
        batch.do(call.replace("DST", d))
        expected[d] = (name, want)

    check("Swish", f"Swish(DST, {s}, {COUNT}, static_cast<{ctype}>(1.5f));", a / (1 + np.exp(-1.5 * a)))
    check("SwiGLU", f"SwiGLU(DST, {s}, {t}, 1.5f, {COUNT});", a * b / (1 + np.exp(-1.5 * b)))
    check("ReGlu", f"ReGlu(DST, {s}, {t}, {COUNT});", a * np.maximum(b, 0))
    gelu = b / (1 + np.exp(-1.5957691216057308 * (b + 0.044715 * b**3)))
    check("GeGLU", f"GeGLU(DST, {s}, {t}, {COUNT});", a * gelu)
    check("Fmod", f"Fmod(DST, {s}, {t}, {COUNT});", np.fmod(a, b))
    check("ClampMax", f"ClampMax(DST, {s}, static_cast<{ctype}>(1.25f), {COUNT});", np.minimum(a, 1.25))
    check("ClampMin", f"ClampMin(DST, {s}, static_cast<{ctype}>(-0.5f), {COUNT});", np.maximum(a, -0.5))
    base = positive[:COUNT].astype(np.float64)
    check("Power", f"Power(DST, {p}, {t}, {COUNT});", base**b)
    check("Power", f"Power(DST, {p}, static_cast<{ctype}>(2.0f), {COUNT});", base**2)
    got = batch.run()
    for d, (name, want) in expected.items():
        _near(got[d][:COUNT], want, dtype, f"{name} {dtype}")
        assert (got[d][COUNT:] == 7).all(), f"{name} {dtype} writes behind its count"


@api("Arange", "ArithProgression")
@pytest.mark.parametrize("dtype", (INT16, HALF, INT32, FLOAT), ids=str)
def test_arithmetic_progression(dtype: np.dtype) -> None:
    batch, expected = Batch(), {}
    for name, count in (("Arange", 5), ("ArithProgression", 77), ("Arange", 200)):
        d = batch.out(np.zeros(208, dtype))
        batch.do(
            f"{name}<{CTYPE[dtype]}>({d}, static_cast<{CTYPE[dtype]}>(-4), static_cast<{CTYPE[dtype]}>(3), {count});"
        )
        expected[d] = (count, (np.arange(count) * 3 - 4).astype(dtype))
    got = batch.run()
    for d, (count, want) in expected.items():
        assert_same(got[d][:count], want)


@api("Sum", "Mean")
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_sums_and_means_of_rows(dtype: np.dtype) -> None:
    batch, rng = Batch(), np.random.default_rng(8)
    x = rng.integers(-8, 9, (4, 48)).astype(dtype)
    s = batch.put(x)
    total, mean = batch.out(np.zeros(16, dtype)), batch.out(np.zeros(16, dtype))
    batch.do(f"Sum({total}, {s}, SumParams{{4, 48, 41}});")
    batch.do(f"Mean({mean}, {s}, MeanParams{{4, 48, 41}});")
    got = batch.run()
    want = x[:, :41].astype(np.float64).sum(axis=1)
    assert_same(got[total][:4], want.astype(dtype), zero_sign=False)
    _near(got[mean][:4], want / 41, dtype, f"Mean {dtype}")


@api("AscendQuant")
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_quantisation_rounds_to_even_and_saturates(dtype: np.dtype) -> None:
    batch = Batch()
    x = (np.arange(128) - 64).astype(dtype) * dtype.type(2.5)
    s, d = batch.put(x), batch.out(np.zeros(128, np.int8))
    batch.do(f"AscendQuant({d}, {s}, 1.0f, 1.0f, 128);")
    want = np.clip(np.rint(x.astype(np.float64) + 1), -128, 127).astype(np.int8)
    assert_same(batch.run()[d], want)


@api("ReduceXorSum")
def test_xor_sum_saturates() -> None:
    batch, rng = Batch(), np.random.default_rng(9)
    x, y = rng.integers(-99, 99, 64).astype(INT16), rng.integers(-99, 99, 64).astype(INT16)
    big = np.full(64, 0x4000, INT16)
    s, t, u, zero = batch.put(x), batch.put(y), batch.put(big), batch.put(np.zeros(64, INT16))
    d, top = batch.out(np.zeros(16, INT16)), batch.out(np.zeros(16, INT16))
    batch.do(f"ReduceXorSum({d}, {s}, {t}, 64);")
    batch.do(f"ReduceXorSum({top}, {u}, {zero}, 64);")
    got = batch.run()
    assert got[d][0] == int((x ^ y).astype(np.int64).sum())
    assert got[top][0] == 32767


@api("Broadcast", "BroadCast")
@pytest.mark.parametrize("dtype", (HALF, FLOAT, np.dtype(np.int8), np.dtype(np.uint8)), ids=str)
def test_broadcast_repeats_along_an_axis(dtype: np.dtype) -> None:
    batch = Batch()
    column, row = (np.arange(8) - 3).astype(dtype), np.arange(32).astype(dtype)
    s, t = batch.put(np.resize(column, 32)), batch.put(row)
    d, e = batch.out(np.zeros((8, 32), dtype)), batch.out(np.zeros((8, 32), dtype))
    for name, target, source, axis, shape in (("Broadcast", d, s, 1, "8, 1"), ("BroadCast", e, t, 0, "1, 32")):
        batch.do(
            f"const uint32_t to[2] = {{8, 32}}; const uint32_t of[2] = {{{shape}}};",
            f"{name}<{CTYPE[dtype]}, 2, {axis}>({target}, {source}, to, of);",
        )
    got = batch.run()
    assert_same(got[d], np.repeat(column[:, None], 32, axis=1))
    assert_same(got[e], np.repeat(row[None], 8, axis=0))


@api("AddDeqRelu")
def test_sums_of_integers_are_scaled_and_cut_at_zero() -> None:
    batch, rng = Batch(), np.random.default_rng(10)
    x, y = rng.integers(-2000, 2000, 128).astype(INT32), rng.integers(-2000, 2000, 128).astype(INT32)
    s, t, d = batch.put(x), batch.put(y), batch.out(np.zeros(128, HALF))
    batch.do("SetDeqScale(static_cast<half>(0.25f));", f"AddDeqRelu({d}, {s}, {t}, 128);")
    want = np.maximum((x.astype(np.float64) + y) * 0.25, 0).astype(HALF)
    assert_same(batch.run()[d], want, zero_sign=False)


@api("CeilDivision", "AlignUp", "GetSFFValue", "ScalarGetSFFValue", "GetSubBlockNum", "GetDataBlockSizeInBytes")
def test_scalar_helpers() -> None:
    batch = Batch()
    d = batch.out(np.zeros(16, INT32))
    calls = ("AlignUp(33, 32)", "GetSFFValue<1>(0x50)", "ScalarGetSFFValue<0>(0x7)", "GetSFFValue<1>(0)")
    calls += ("CeilDivision(7, 2)", "CeilDivision(7, 0)", "GetDataBlockSizeInBytes()", "GetSubBlockNum()")
    for i, call in enumerate(calls):
        batch.do(f"{d}.SetValue({i}, static_cast<int32_t>({call}));")
    assert batch.run()[d][: len(calls)].tolist() == [64, 4, 3, -1, 4, 0, 32, 1]
