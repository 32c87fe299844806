"""Calls of several steps: AddRelu, FusedMulAdd, MulAddDst, Axpy, and the ones that convert on the way out."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from .arithmetic import REAL, Oracle, quiet, relu
from .batch import Array, Batch
from .casting import to_integer
from .marks import api, each
from .values import FLOAT, HALF, INT16, assert_same, tame_values

_RELU: dict[str, Oracle] = {
    "AddRelu": quiet(lambda a, b: relu(a + b)),
    "SubRelu": quiet(lambda a, b: relu(a - b)),
}


@pytest.mark.parametrize("call", each(_RELU))
def test_add_and_sub_with_relu(call: str) -> None:
    rng = np.random.default_rng(1)
    batch, expected = Batch(), {}
    for dtype in (HALF, FLOAT, INT16):
        a, b = tame_values(dtype, 301, rng), tame_values(dtype, 301, rng)
        if dtype != INT16:
            a[:6], b[:6] = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0], [1.0, 1.0, 1.0, -0.0, -0.0, np.nan]
        x, y, d = batch.put(a), batch.put(b), batch.out(np.full_like(a, 5))
        batch.do(f"{call}({d}, {x}, {y}, 301);")
        expected[d] = _RELU[call](a, b)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{call} {want.dtype}")


def _integers(dtype: np.dtype, count: int, rng: np.random.Generator) -> Array:
    """Small whole numbers: the product and sum are exact however often the call rounds."""
    return rng.integers(-12, 12, count).astype(dtype)


_FUSED: dict[str, Oracle] = {
    "FusedMulAdd": lambda dst, a, b: a * dst + b,
    "FusedMulAddRelu": lambda dst, a, b: relu(a * dst + b),
    "MulAddRelu": lambda dst, a, b: relu(a * dst + b),
    "MulAddDst": lambda dst, a, b: a * b + dst,
}


@pytest.mark.parametrize("call", each(_FUSED))
def test_fused_calls_read_their_destination(call: str) -> None:
    rng = np.random.default_rng(2)
    batch, expected = Batch(), {}
    for dtype in REAL:
        old, a, b = (_integers(dtype, 200, rng) for _ in range(3))
        x, y, d = batch.put(a), batch.put(b), batch.out(old)
        batch.do(f"{call}({d}, {x}, {y}, 150);")
        expected[d] = np.concatenate([_FUSED[call](old, a, b)[:150], old[150:]])
        lanes = 256 // dtype.itemsize
        old, a, b = (_integers(dtype, 3 * lanes, rng) for _ in range(3))
        x, y, d = batch.put(a), batch.put(b), batch.out(old)
        batch.do(f"{call}({d}, {x}, {y}, uint64_t(20), 3, {{1, 1, 1, 8, 8, 8}});")
        on = np.arange(3 * lanes) % lanes < 20
        expected[d] = np.where(on, _FUSED[call](old, a, b), old)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, zero_sign=False, context=f"{call} {want.dtype} {name}")


@pytest.mark.parametrize("call", each(["FusedMulAdd", "MulAddDst"]))
def test_fused_calls_are_near_the_exact_result(call: str) -> None:
    rng = np.random.default_rng(3)
    batch = Batch()
    old, a, b = (rng.uniform(0.5, 2, 256).astype(np.float32) for _ in range(3))
    x, y, d = batch.put(a), batch.put(b), batch.out(old)
    batch.do(f"{call}({d}, {x}, {y}, 256);")
    wide = [v.astype(np.float64) for v in (old, a, b)]
    np.testing.assert_allclose(batch.run()[d], _FUSED[call](*wide), rtol=2e-7)


@api("Axpy")
def test_axpy_adds_a_scaled_source() -> None:
    rng = np.random.default_rng(4)
    batch, expected = Batch(), {}
    for to, source in ((HALF, HALF), (FLOAT, FLOAT), (FLOAT, HALF)):
        old, a = _integers(to, 200, rng), _integers(source, 200, rng)
        x, s, d = batch.put(a), batch.put(np.array([3], source)), batch.out(old)
        batch.do(f"Axpy({d}, {x}, {s}.GetValue(0), 150);")
        expected[d] = np.concatenate([(a * 3 + old)[:150].astype(to), old[150:]])
        lanes = 256 // to.itemsize
        old, a = _integers(to, 2 * lanes, rng), _integers(source, 2 * lanes, rng)
        x, d = batch.put(a), batch.out(old)
        source_repeat = 8 * source.itemsize // to.itemsize
        batch.do(f"Axpy({d}, {x}, {s}.GetValue(0), uint64_t(33), 2, {{1, 1, 8, {source_repeat}}});")
        on = np.arange(2 * lanes) % lanes < 33
        expected[d] = np.where(on, a * 3 + old, old).astype(to)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, zero_sign=False, context=f"Axpy {want.dtype} {name}")


@api("Axpy", "MulAddDst")
def test_mixed_forms_keep_products_that_half_cannot_hold() -> None:
    batch = Batch()
    a = np.full(64, 300, HALF)
    x, s = batch.put(a), batch.put(np.array([300], HALF))
    d, e = batch.out(np.ones(64, FLOAT)), batch.out(np.full(64, 2, FLOAT))
    batch.do(f"Axpy({d}, {x}, {s}.GetValue(0), 64);", f"MulAddDst({e}, {x}, {x}, 64);")
    got = batch.run()
    assert_same(got[d], np.full(64, 90001, FLOAT))
    assert_same(got[e], np.full(64, 90002, FLOAT))


def _narrow(values: Array, dtype: np.dtype) -> Array:
    """Round to nearest even and saturate, as CAST_NONE does."""
    return to_integer([None if np.isnan(v) else _exact(v) for v in values.astype(np.float64)], "CAST_RINT", dtype)


def _exact(value: float) -> Fraction | float:
    return Fraction(value) if np.isfinite(value) else value


_NARROWING: dict[str, Oracle] = {
    "AddReluCast": lambda a, b: np.maximum(a + b, 0),
    "SubReluCast": lambda a, b: np.maximum(a - b, 0),
    "MulCast": lambda a, b: a * b,
}


@pytest.mark.parametrize("call", each(_NARROWING))
def test_narrowing_calls_round_to_even_and_saturate(call: str) -> None:
    rng = np.random.default_rng(5)
    batch, expected = Batch(), {}
    int8, uint8 = np.dtype(np.int8), np.dtype(np.uint8)
    pairs = [(HALF, int8), (HALF, uint8)] if call == "MulCast" else [(HALF, int8), (INT16, int8)]
    for source, to in pairs:
        halves = rng.integers(-40, 40, (2, 256))
        a, b = (halves / (1 if source == INT16 else 2)).astype(source)
        a[:4], b[:4] = [200, 100, -90, 60], [3, 100, 2, -5]
        x, y, d = batch.put(a), batch.put(b), batch.out(np.full(256, 99, to))
        batch.do(f"{call}({d}, {x}, {y}, 250);")
        exact = _NARROWING[call](a.astype(np.float64), b.astype(np.float64))
        expected[d] = np.concatenate([_narrow(exact, to)[:250], np.full(6, 99, to)])
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{call} {want.dtype} {name}")


@pytest.mark.parametrize("call", each(["AddReluCast", "SubReluCast"]))
def test_relu_calls_from_float_to_half(call: str) -> None:
    rng = np.random.default_rng(6)
    batch = Batch()
    a, b = tame_values(FLOAT, 128, rng), tame_values(FLOAT, 128, rng)
    x, y, d = batch.put(a), batch.put(b), batch.out(np.zeros(128, HALF))
    batch.do(f"{call}({d}, {x}, {y}, 128);")
    want = relu(a + b if call == "AddReluCast" else a - b).astype(np.float16)
    assert_same(batch.run()[d], want, zero_sign=False)


@api("AddReluCast", "MulCast")
def test_level0_narrowing_calls_write_half_as_many_blocks() -> None:
    rng = np.random.default_rng(9)
    batch, expected = Batch(), {}
    int8 = np.dtype(np.int8)
    a, b = rng.integers(-9, 9, 256).astype(HALF), rng.integers(-9, 9, 256).astype(HALF)
    x, y = batch.put(a), batch.put(b)
    for call, exact in (("AddReluCast", np.maximum(a + b, 0)), ("MulCast", a * b)):
        d = batch.out(np.full(256, 99, int8))
        batch.do(f"{call}<int8_t, half>({d}, {x}, {y}, uint64_t(50), 2, {{1, 1, 1, 4, 8, 8}});")
        on = np.arange(256) % 128 < 50
        expected[d] = np.where(on, exact, 99).astype(int8)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=name)


@pytest.mark.parametrize("call", each(["FusedMulAdd", "MulAddDst", "FusedMulAddRelu"]))
def test_fused_calls_at_special_values(call: str) -> None:
    batch, expected = Batch(), {}
    inf, nan = np.inf, np.nan
    for dtype in REAL:
        old = np.array([0, inf, 1, nan, 2, inf, -inf, 1], dtype)
        a = np.array([inf, 1, nan, 1, inf, 1, 1, -3], dtype)
        b = np.array([1, -inf, 1, 1, 1, 1, 1, 1], dtype)
        x, y, d = batch.put(a), batch.put(b), batch.out(old)
        batch.do(f"{call}({d}, {x}, {y}, 8);")
        with np.errstate(all="ignore"):
            expected[d] = _FUSED[call](old, a, b)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, zero_sign=False, context=f"{call} {want.dtype}")
