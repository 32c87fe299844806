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
    calls: tuple[str, ...] = (
        "AlignUp(33, 32)",
        "GetSFFValue<1>(0x50)",
        "ScalarGetSFFValue<0>(0x7)",
        "GetSFFValue<1>(0)",
    )
    calls += ("CeilDivision(7, 2)", "CeilDivision(7, 0)", "GetDataBlockSizeInBytes()", "GetSubBlockNum()")
    for i, call in enumerate(calls):
        batch.do(f"{d}.SetValue({i}, static_cast<int32_t>({call}));")
    assert batch.run()[d][: len(calls)].tolist() == [64, 4, 3, -1, 4, 0, 32, 1]


@api("SelectWithBytesMask")
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_bytes_select_between_a_tensor_and_a_scalar(dtype: np.dtype) -> None:
    batch, rng = Batch(), np.random.default_rng(12)
    x, mask = rng.uniform(-3, 3, (4, 32)).astype(dtype), rng.integers(0, 2, (4, 32)).astype(np.uint8)
    s, m, tmp = batch.put(x), batch.put(mask), batch.put(np.zeros(8192, np.uint8))
    d, e = batch.out(np.zeros((4, 32), dtype)), batch.out(np.zeros((4, 32), dtype))
    shape = "SelectWithBytesMaskShapeInfo info; info.firstAxis = 4; info.srcLastAxis = 32; info.maskLastAxis = 32;"
    scalar, ctype = f"static_cast<{CTYPE[dtype]}>(0.5f)", CTYPE[dtype]
    batch.do(shape, f"SelectWithBytesMask<{ctype}, uint8_t, false>({d}, {s}, {scalar}, {m}, {tmp}, info);")
    batch.do(shape, f"SelectWithBytesMask<{ctype}, uint8_t, false>({e}, {scalar}, {s}, {m}, {tmp}, info);")
    got = batch.run()
    assert_same(got[d], np.where(mask == 0, x, dtype.type(0.5)))
    assert_same(got[e], np.where(mask == 0, dtype.type(0.5), x))


@api("ReduceAll", "ReduceAny", "ReduceMean", "ReduceProd")
def test_patterns_reduce_rows_or_columns() -> None:
    batch, rng = Batch(), np.random.default_rng(13)
    bits = (rng.random((4, 16)) > 0.3).astype(FLOAT)
    bits[0] = 1
    bits[2] = 0
    x = np.exp2(rng.integers(-1, 2, (4, 16))).astype(FLOAT)
    s, t = batch.put(bits), batch.put(x)
    expected = {}
    for axis, pattern, count in ((1, "AR", 4), (0, "RA", 16)):
        for name, source, want in (
            ("ReduceAll", s, bits.min(axis=axis)),
            ("ReduceAny", s, bits.max(axis=axis)),
            ("ReduceMean", t, x.mean(axis=axis)),
            ("ReduceProd", t, x.prod(axis=axis)),
        ):
            d = batch.out(np.zeros(16, FLOAT))
            batch.do(
                "const uint32_t shape[2] = {4, 16};",
                f"{name}<float, Pattern::Reduce::{pattern}>({d}, {source}, shape, true);",
            )
            expected[d] = (f"{name} {pattern}", want, count)
    got = batch.run()
    for d, (name, want, count) in expected.items():
        _near(got[d][:count], want, FLOAT, name)


@api("CumSum")
def test_running_sums_along_both_axes() -> None:
    batch, rng = Batch(), np.random.default_rng(14)
    batch.declarations = (
        "constexpr CumSumConfig LAST{true, false, true};\nconstexpr CumSumConfig FIRST{false, false, true};"
    )
    x = rng.integers(-5, 6, (4, 16)).astype(FLOAT)
    s = batch.put(x)
    got_of = {}
    for config, axis in (("LAST", 1), ("FIRST", 0)):
        d, last = batch.out(np.zeros((4, 16), FLOAT)), batch.out(np.zeros(16, FLOAT))
        batch.do("CumSumInfo info{4, 16};", f"CumSum<float, {config}>({d}, {last}, {s}, info);")
        got_of[d] = (last, x.cumsum(axis=axis, dtype=np.float32))
    got = batch.run()
    for d, (last, want) in got_of.items():
        assert_same(got[d], want, zero_sign=False)
        assert_same(got[last], want[3], zero_sign=False)


@api("SoftmaxFlashV2", "SoftMaxFlashV2TilingFuncImpl")
def test_flash_softmax_starts_and_updates() -> None:
    batch, rng = Batch(), np.random.default_rng(15)
    x, y = rng.uniform(-3, 3, (4, 64)).astype(FLOAT), rng.uniform(-3, 5, (4, 64)).astype(FLOAT)
    s, t, tmp = batch.put(x), batch.put(y), batch.put(np.zeros(16384, np.uint8))
    first = [batch.out(np.zeros(n, FLOAT)) for n in ((4, 64), (4, 8), (4, 8), (4, 8))]
    second = [batch.out(np.zeros(n, FLOAT)) for n in ((4, 64), (4, 8), (4, 8), (4, 8))]
    for update, source, (d, total, top, scale) in (("false", s, first), ("true", t, second)):
        batch.do(
            f"SoftMaxTiling tiling = SoftMaxFlashV2TilingFuncImpl(4, 64, 4, 4, 16384 / 4, {update});",
            f"SoftmaxFlashV2<float, {update}>({d}, {total}, {top}, {source}, {scale}, {first[1]}, {first[2]},",
            f"    {tmp}, tiling, {{4, 64, 4, 64}});",
        )
    got = batch.run()
    a, b = x.astype(np.float64), y.astype(np.float64)
    m = a.max(axis=1, keepdims=True)
    e = np.exp(a - m)
    n = np.maximum(m, b.max(axis=1, keepdims=True))
    f, decay = np.exp(b - n), np.exp(m - n)
    wide = np.ones((1, 8))
    _near(got[first[0]].ravel(), e.ravel(), FLOAT, "values")
    _near(got[first[1]].ravel(), (e.sum(axis=1, keepdims=True) * wide).ravel(), FLOAT, "sums")
    _near(got[first[2]].ravel(), (m * wide).ravel(), FLOAT, "maxima")
    _near(got[second[0]].ravel(), f.ravel(), FLOAT, "updated values")
    total = decay * e.sum(axis=1, keepdims=True) + f.sum(axis=1, keepdims=True)
    _near(got[second[1]].ravel(), (total * wide).ravel(), FLOAT, "updated sums")
    _near(got[second[2]].ravel(), (n * wide).ravel(), FLOAT, "updated maxima")
    _near(got[second[3]].ravel(), (decay * wide).ravel(), FLOAT, "decay")


@api(
    "MakeShape", "MakeStride", "MakeCoord", "MakeLayout", "Crd2Idx", "PopStackBuffer", "GetTPipePtr", "DataCachePreload"
)
def test_layouts_and_scratch() -> None:
    batch = Batch()
    g = batch.put_global(np.arange(64, dtype=np.uint32))
    d, e = batch.out(np.zeros(16, INT32)), batch.out(np.zeros(64, FLOAT))
    batch.do(
        "auto layout = MakeLayout(MakeShape(4, 16), MakeStride(20, 1));",
        f"{d}.SetValue(0, static_cast<int32_t>(Crd2Idx(MakeCoord(2, 3), layout)));",
        f"{d}.SetValue(1, static_cast<int32_t>(GetTPipePtr() == &pipe));",
        "GlobalTensor<uint64_t> lines;",
        f"lines.SetGlobalBuffer((__gm__ uint64_t *){g}.GetPhyAddr(0));",
        "DataCachePreload(lines, int64_t(0));",
        f"{d}.SetValue(2, static_cast<int32_t>({g}.GetValue(5)));",
    )
    batch.do(
        "LocalTensor<float> rest;",
        f"{d}.SetValue(3, static_cast<int32_t>(PopStackBuffer<float, TPosition::LCM>(rest)));",
        "Duplicate(rest, 3.0f, 64);",
        "PipeBarrier<PIPE_V>();",
        f"Adds({e}, rest, 1.0f, 64);",
    )
    got = batch.run()
    assert got[d][:4].tolist() == [43, 1, 5, 1]
    assert (got[e] == 4).all()


@api("CastDeq", "CastDequant")
def test_integers_are_scaled_while_they_are_cast() -> None:
    batch, rng = Batch(), np.random.default_rng(16)
    x = rng.integers(-4000, 4000, 128).astype(INT32)
    s = batch.put(x)
    names = [batch.out(np.zeros(128, HALF)) for _ in range(2)]
    for name, d in zip(("CastDeq", "CastDequant"), names, strict=True):
        batch.do("SetDeqScale(static_cast<half>(0.5f));", f"{name}<half, int32_t, false, false>({d}, {s}, 128);")
    got = batch.run()
    for d in names:
        assert_same(got[d], (x * 0.5).astype(HALF))


@api("AscendDequant")
def test_integers_are_multiplied_by_the_scale_of_their_column() -> None:
    batch, rng = Batch(), np.random.default_rng(17)
    x = rng.integers(-500, 500, (4, 32)).astype(INT32)
    scale = np.exp2(-(np.arange(32) % 4)).astype(FLOAT)
    s, t, d = batch.put(x), batch.put(scale), batch.out(np.zeros((4, 32), FLOAT))
    batch.do(f"DequantParams shape{{4, 32, 32}}; AscendDequant({d}, {s}, {t}, shape);")
    assert_same(batch.run()[d], (x * scale).astype(FLOAT), zero_sign=False)


@api("GetSystemCycle", "ICachePreLoad", "GetUserWorkspace", "InitSocState")
def test_system_values() -> None:
    batch = Batch()
    x = np.full(64, 2, FLOAT)
    s, d, e = batch.put(x), batch.out(np.zeros(8, INT32)), batch.out(np.zeros(64, FLOAT))
    # What a kernel is given is the user's part already, and asking again gives the same (facts: host_api).
    batch.do(
        "ICachePreLoad(2);",
        "const int64_t before = GetSystemCycle();",
        "PipeBarrier<PIPE_ALL>();",
        "const int64_t after = GetSystemCycle();",
        f"{d}.SetValue(0, static_cast<int32_t>(after >= before));",
        f"{d}.SetValue(1, static_cast<int32_t>(GetUserWorkspace(workspace) == workspace));",
    )
    batch.do(
        "SetVectorMask<float, MaskMode::NORMAL>(0, 1);",
        "InitSocState();",
        f"Adds<float, false>({e}, {s}, 1.0f, MASK_PLACEHOLDER, 1, {{1, 1, 8, 8}});",
    )
    got = batch.run()
    assert got[d][:2].tolist() == [1, 1]
    assert (got[e] == 3).all()
