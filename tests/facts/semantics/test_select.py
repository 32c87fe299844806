"""Select in all modes and forms (facts: semantics, section 9)."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from .addressing import Stride, bitwise, continuous, extent, indices
from .batch import Array, Batch
from .marks import api
from .test_compare import truth
from .values import CTYPE, FLOAT, HALF, assert_same, random_values

pytestmark = api("Select")

_SPR = "SELMODE::VSEL_CMPMASK_SPR"
_SCALAR = "SELMODE::VSEL_TENSOR_SCALAR_MODE"
_TENSOR = "SELMODE::VSEL_TENSOR_TENSOR_MODE"
_WORDS = (np.uint8, np.uint16, np.uint32)


def _bits(words: Array) -> Array:
    return np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool)


@pytest.mark.parametrize("dtype", (HALF, FLOAT), ids=str)
def test_count_forms(dtype: np.dtype) -> None:
    rng = np.random.default_rng(1)
    batch, expected = Batch(), {}
    lanes = 256 // dtype.itemsize
    count = 3 * lanes
    a, b = random_values(dtype, count, rng), random_values(dtype, count, rng)
    x, y = batch.put(a), batch.put(b)
    for word, used in product(_WORDS, (count, count - 9)):
        selection = random_values(np.dtype(np.uint8), -(-count // 8 // 32) * 32, rng).view(word)
        bits = _bits(selection)[:count]
        m = batch.put(selection)
        by_mode = {
            _SPR: (y, np.tile(bits[:lanes], 3), b),
            _SCALAR: (f"{y}.GetValue(3)", bits, np.full(count, b[3])),
            _TENSOR: (y, bits, b),
        }
        for mode, (other, chosen, alternative) in by_mode.items():
            old = np.zeros(count, dtype)
            d = batch.out(old)
            batch.do(f"Select({d}, {m}, {x}, {other}, {mode}, {used});")
            expected[d] = mode, np.where(np.arange(count) < used, np.where(chosen, a, alternative), old)
    got = batch.run()
    for name, (mode, want) in expected.items():
        assert_same(got[name], want.astype(dtype), context=f"{dtype} {mode} {name}")


@pytest.mark.parametrize("dtype", (HALF, FLOAT), ids=str)
def test_level0_forms_obey_the_mask_and_strides(dtype: np.dtype) -> None:
    rng = np.random.default_rng(2)
    batch, expected = Batch(), {}
    lanes = 256 // dtype.itemsize
    low, high = int(rng.integers(0, 2**63)), int(rng.integers(0, 2**63)) if lanes == 128 else 0
    masks = (
        (f"uint64_t({lanes})", continuous(lanes, lanes)),
        ("uint64_t(23)", continuous(23, lanes)),
        ("mask", bitwise(low, high, lanes)),
    )
    strides = (Stride(), Stride(), Stride()), (Stride(1, 9), Stride(2, 16), Stride(1, 0))
    for (mask, enabled), (to, s0, s1) in product(masks, strides):
        a = random_values(dtype, extent(2, s0, dtype.itemsize, lanes), rng)
        b = random_values(dtype, extent(2, s1, dtype.itemsize, lanes), rng)
        selection = random_values(np.dtype(np.uint8), 32, rng)
        bits = _bits(selection)
        x, y, m = batch.put(a), batch.put(b), batch.put(selection)
        params = f"{{{to.block}, {s0.block}, {s1.block}, {to.repeat}, {s0.repeat}, {s1.repeat}}}"
        for mode in (_SPR, _SCALAR, _TENSOR):
            old = random_values(dtype, extent(2, to, dtype.itemsize, lanes), rng)
            d = batch.out(old)
            other = f"{y}.GetValue(3)" if mode == _SCALAR else y
            batch.do(
                f"uint64_t mask[2] = {{{low}ull, {high}ull}}; (void)mask;",
                f"Select({d}, {m}, {x}, {other}, {mode}, {mask}, 2, {params});",
            )
            want = old.copy()
            for r in range(2):
                chosen = bits[:lanes] if mode == _SPR else bits[r * lanes : (r + 1) * lanes]
                first = a[indices(r, s0, dtype.itemsize, lanes)]
                second = b[3] if mode == _SCALAR else b[indices(r, s1, dtype.itemsize, lanes)]
                places = indices(r, to, dtype.itemsize, lanes)
                want[places] = np.where(enabled, np.where(chosen, first, second), want[places])
            expected[d] = want, f"{dtype} {mode} {mask} {params}"
    got = batch.run()
    for name, (want, context) in expected.items():
        assert_same(got[name], want, context=context)


@api("Compare", "ResetMask")
@pytest.mark.parametrize("dtype", (HALF, FLOAT), ids=str)
def test_the_register_form_uses_the_last_comparison_in_every_repeat(dtype: np.dtype) -> None:
    rng = np.random.default_rng(3)
    batch = Batch()
    lanes = 256 // dtype.itemsize
    a, b = rng.integers(-5, 5, (2, 2 * lanes)).astype(dtype)
    x, y, d = batch.put(a), batch.put(b), batch.out(np.zeros_like(a))
    batch.do(
        f"Compare({x}, {y}, CMPMODE::GT, uint64_t({lanes}), {{1, 1, 1, 8, 8, 8}});",
        "ResetMask();",
        "PipeBarrier<PIPE_V>();",
        f"Select<{CTYPE[dtype]}, {_SPR}>({d}, {x}, {y}, 2, {{1, 1, 1, 8, 8, 8}});",
    )
    chosen = np.tile(truth("GT", a[:lanes], b[:lanes]), 2)
    assert_same(batch.run()[d], np.where(chosen, a, b))


@api("SetCmpMask", "SetVectorMask")
def test_the_register_form_takes_a_mask_that_was_set() -> None:
    rng = np.random.default_rng(4)
    batch = Batch()
    a, b = random_values(FLOAT, 128, rng), random_values(FLOAT, 128, rng)
    words = random_values(np.dtype(np.uint32), 8, rng)
    old = np.full(128, 3, FLOAT)
    x, y, m, d = batch.put(a), batch.put(b), batch.put(words), batch.out(old)
    batch.do(
        f"SetCmpMask({m});",
        "PipeBarrier<PIPE_V>();",
        "SetVectorMask<float, MaskMode::NORMAL>(0, 0xFFFFFFFFull);",
        f"Select<float, {_SPR}>({d}, {x}, {y}, 2, {{1, 1, 1, 8, 8, 8}});",
        "ResetMask();",
    )
    chosen = np.tile(_bits(words)[:64], 2)
    want = np.where(np.arange(128) % 64 < 32, np.where(chosen, a, b), old)
    assert_same(batch.run()[d], want.astype(np.float32))


@api("Compare")
def test_compare_then_select_is_a_maximum() -> None:
    rng = np.random.default_rng(5)
    batch, expected = Batch(), {}
    for dtype in (HALF, FLOAT):
        a, b = random_values(dtype, 512, rng), random_values(dtype, 512, rng)
        x, y = batch.put(a), batch.put(b)
        m, d = batch.out(np.zeros(64, np.uint8)), batch.out(np.zeros_like(a))
        batch.do(
            f"Compare({m}, {x}, {y}, CMPMODE::GE, 512);",
            "PipeBarrier<PIPE_V>();",
            f"Select({d}, {m}, {x}, {y}, {_TENSOR}, 512);",
        )
        expected[d] = np.where(a >= b, a, b)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=name)


def test_a_selection_of_64_bit_words() -> None:
    rng = np.random.default_rng(6)
    batch = Batch()
    a, b = random_values(FLOAT, 256, rng), random_values(FLOAT, 256, rng)
    words = random_values(np.dtype(np.uint8), 32, rng)
    x, y, m, d = batch.put(a), batch.put(b), batch.put(words), batch.out(np.zeros(256, FLOAT))
    batch.do(f"Select({d}, {m}.ReinterpretCast<uint64_t>(), {x}, {y}, {_TENSOR}, 256);")
    assert_same(batch.run()[d], np.where(_bits(words), a, b))
