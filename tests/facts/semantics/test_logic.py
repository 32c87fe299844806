"""And, Or, Not and the shifts (facts: semantics, section 21)."""

from __future__ import annotations

import numpy as np
import pytest

from .batch import Array, Batch
from .marks import api, each
from .values import INT16, INT32, UINT16, UINT32, assert_same, random_values, special_values

_LOGIC = {"And": np.bitwise_and, "Or": np.bitwise_or}
_SHIFTED = (INT16, UINT16, INT32, UINT32)


def _values(dtype: np.dtype, rng: np.random.Generator) -> Array:
    return np.concatenate([special_values(dtype), random_values(dtype, 300, rng)])[:301]


@pytest.mark.parametrize("call", each(_LOGIC))
def test_bitwise_calls_on_16_bit_lanes(call: str) -> None:
    rng = np.random.default_rng(1)
    batch, expected = Batch(), {}
    for dtype in (INT16, UINT16):
        a, b = random_values(dtype, 301, rng), random_values(dtype, 301, rng)
        x, y, d = batch.put(a), batch.put(b), batch.out(np.zeros_like(a))
        batch.do(f"{call}({d}, {x}, {y}, 301);")
        expected[d] = _LOGIC[call](a, b)
        e = batch.out(np.zeros(256, dtype))
        batch.do(f"{call}({e}, {x}, {y}, uint64_t(100), 2, {{1, 1, 1, 8, 8, 8}});")
        expected[e] = np.where(np.arange(256) % 128 < 100, _LOGIC[call](a, b)[:256], 0).astype(dtype)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{call} {want.dtype}")


@pytest.mark.parametrize("call", each(_LOGIC))
def test_a_count_over_32_bit_tensors_is_of_16_bit_lanes(call: str) -> None:
    rng = np.random.default_rng(2)
    batch, expected = Batch(), {}
    for dtype in (INT32, UINT32):
        a, b = random_values(dtype, 64, rng), random_values(dtype, 64, rng)
        x, y = batch.put(a), batch.put(b)
        whole, half = batch.out(np.zeros_like(a)), batch.out(np.zeros_like(a))
        batch.do(f"{call}({whole}, {x}, {y}, 128);", f"{call}({half}, {x}, {y}, 64);")
        expected[whole] = _LOGIC[call](a, b)
        expected[half] = np.where(np.arange(64) < 32, expected[whole], 0).astype(dtype)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{call} {want.dtype} {name}")


@api("Not")
def test_not_inverts_every_bit() -> None:
    rng = np.random.default_rng(3)
    batch, expected = Batch(), {}
    for dtype in (INT16, UINT16):
        a = random_values(dtype, 301, rng)
        x, d = batch.put(a), batch.out(np.zeros_like(a))
        batch.do(f"Not({d}, {x}, 301);")
        expected[d] = ~a
    words = random_values(UINT32, 64, rng)
    x, d = batch.put(words), batch.out(np.zeros_like(words))
    batch.do(f"Not({d}.ReinterpretCast<uint16_t>(), {x}.ReinterpretCast<uint16_t>(), 128);")
    expected[d] = ~words
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=str(want.dtype))


def _left(values: Array, amount: int) -> Array:
    """Unsigned: logical. Signed: the sign bit stays, the rest moves up and is filled with zeros."""
    width = values.dtype.itemsize * 8
    bits = values.view(np.dtype(f"u{values.dtype.itemsize}")).astype(np.uint64)
    moved = bits << np.uint64(amount)
    if values.dtype.kind == "i":
        sign = np.uint64(1 << width - 1)
        moved = moved & (sign - np.uint64(1)) | bits & sign
    return (moved & np.uint64((1 << width) - 1)).astype(np.dtype(f"u{values.dtype.itemsize}")).view(values.dtype)


def _right(values: Array, amount: int, *, rounded: bool = False) -> Array:
    """Unsigned: logical. Signed: arithmetic; with rounding the last bit shifted out is added."""
    wide = values.astype(np.int64)
    result = wide >> amount
    if rounded and amount:
        result = result + (wide >> amount - 1 & 1)
    return result.astype(values.dtype)


@api("ShiftLeft", "ShiftRight")
@pytest.mark.parametrize("dtype", _SHIFTED, ids=str)
def test_shifts_by_every_kind_of_amount(dtype: np.dtype) -> None:
    rng = np.random.default_rng(4)
    batch, expected = Batch(), {}
    a = _values(dtype, rng)
    x = batch.put(a)
    width = dtype.itemsize * 8
    for amount in (0, 1, 3, 5, width // 2, width - 1, width):
        d, e = batch.out(np.zeros_like(a)), batch.out(np.zeros_like(a))
        scalar = f"static_cast<{dtype.name}_t>({amount})"
        batch.do(f"ShiftLeft({d}, {x}, {scalar}, {a.size});", f"ShiftRight({e}, {x}, {scalar}, {a.size});")
        expected[d] = amount, _left(a, amount)
        expected[e] = amount, _right(a, amount)
    got = batch.run()
    for name, (amount, want) in expected.items():
        assert_same(got[name], want, context=f"{dtype} by {amount} {name}")


@api("ShiftLeft")
def test_shift_left_examples() -> None:
    batch = Batch()
    a = np.full(16, 0b1010101010101010, np.uint16).view(np.int16)
    x, d, e = batch.put(a), batch.out(np.zeros_like(a)), batch.out(np.zeros_like(a))
    batch.do(f"ShiftLeft({d}, {x}, (int16_t)1, 16);", f"ShiftLeft({e}, {x}, (int16_t)3, 16);")
    got = batch.run()
    assert (got[d].view(np.uint16) == 0b1101010101010100).all()
    assert (got[e].view(np.uint16) == 0b1101010101010000).all()


@api("ShiftRight")
def test_shift_right_with_rounding_adds_the_last_bit_shifted_out() -> None:
    rng = np.random.default_rng(5)
    batch, expected = Batch(), {}
    for dtype in (INT16, INT32):
        lanes = 256 // dtype.itemsize
        a = np.concatenate([np.array([17, -17, 16, 15, -1, -16], dtype), random_values(dtype, 2 * lanes - 6, rng)])
        x = batch.put(a)
        for amount in (1, 5, 11):
            for flag in ("true", "false"):
                d = batch.out(np.zeros_like(a))
                scalar = f"static_cast<{dtype.name}_t>({amount})"
                batch.do(f"ShiftRight({d}, {x}, {scalar}, uint64_t({lanes}), 2, {{1, 1, 8, 8}}, {flag});")
                expected[d] = _right(a, amount, rounded=flag == "true")
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{want.dtype} {name}")
    assert _right(np.array([17], np.int16), 5, rounded=True)[0] == 1
