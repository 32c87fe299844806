"""Duplicate, CreateVecIndex, Brcb and Copy (facts: semantics, sections 2.3 and 14)."""

from __future__ import annotations

import numpy as np
import pytest

from .addressing import Stride, bitwise, continuous, extent, level0
from .batch import Batch
from .marks import api
from .values import BF16, CTYPE, FLOAT, HALF, INT16, INT32, UINT16, UINT32, assert_same, random_values

FILLED = (INT16, UINT16, HALF, BF16, INT32, UINT32, FLOAT)
"""Types of Duplicate, Brcb and Copy."""


@api("Duplicate")
@pytest.mark.parametrize("dtype", FILLED, ids=str)
def test_duplicate_fills(dtype: np.dtype) -> None:
    rng = np.random.default_rng(1)
    batch, expected = Batch(), {}
    lanes = 256 // dtype.itemsize
    value = random_values(dtype, 1, rng)
    s = batch.put(value)
    for count in (0, 1, lanes, 3 * lanes + 5):
        old = random_values(dtype, 4 * lanes, rng)
        d = batch.out(old)
        batch.do(f"Duplicate({d}, {s}.GetValue(0), {count});")
        expected[d] = np.where(np.arange(4 * lanes) < count, value[0], old)
    low, high = int(rng.integers(0, 2**63)), int(rng.integers(0, 2**63)) if lanes == 128 else 0
    for mask, enabled in (
        (f"uint64_t({lanes - 7})", continuous(lanes - 7, lanes)),
        ("mask", bitwise(low, high, lanes)),
    ):
        for stride in (Stride(), Stride(1, 10), Stride(3, 22)):
            old = random_values(dtype, extent(3, stride, dtype.itemsize, lanes), rng)
            d = batch.out(old)
            batch.do(
                f"uint64_t mask[2] = {{{low}ull, {high}ull}}; (void)mask;",
                f"Duplicate({d}, {s}.GetValue(0), {mask}, 3, {stride.block}, {stride.repeat});",
            )
            expected[d] = level0(old, [], lambda: value[0], enabled=enabled, repeats=3, dst_stride=stride)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want.astype(dtype), context=f"{dtype} {name}")


@api("CreateVecIndex")
@pytest.mark.parametrize("dtype", (INT16, HALF, INT32, FLOAT), ids=str)
def test_create_vec_index_counts_up(dtype: np.dtype) -> None:
    batch, expected = Batch(), {}
    lanes = 256 // dtype.itemsize
    for first, count in ((0, 5), (-3, lanes), (10, 3 * lanes + 7)):
        old = np.full(4 * lanes, 99, dtype)
        d = batch.out(old)
        batch.do(f"CreateVecIndex({d}, static_cast<{CTYPE[dtype]}>({first}), {count});")
        expected[d] = np.where(np.arange(4 * lanes) < count, np.arange(4 * lanes) + first, old).astype(dtype)
    d = batch.out(np.zeros(2 * lanes, dtype))
    batch.do(f"CreateVecIndex({d}, static_cast<{CTYPE[dtype]}>(4), uint64_t({lanes}), 2, 1, 8);")
    expected[d] = (np.arange(2 * lanes) + 4).astype(dtype)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{dtype} {name}")


@api("Brcb")
@pytest.mark.parametrize("dtype", FILLED, ids=str)
def test_brcb_spreads_each_element_over_a_block(dtype: np.dtype) -> None:
    rng = np.random.default_rng(2)
    batch, expected = Batch(), {}
    per_block = 32 // dtype.itemsize
    for repeats, stride in ((1, Stride()), (3, Stride()), (2, Stride(2, 16)), (2, Stride(1, 11))):
        a = random_values(dtype, 8 * repeats, rng)
        old = random_values(dtype, extent(repeats, stride, dtype.itemsize, 8 * per_block), rng)
        x, d = batch.put(a), batch.out(old)
        batch.do(f"Brcb({d}, {x}, {repeats}, {{{stride.block}, {stride.repeat}}});")
        want = old.copy()
        for i, value in enumerate(a):
            block = i // 8 * stride.repeat + i % 8 * stride.block
            want[block * per_block : (block + 1) * per_block] = value
        expected[d] = want
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{dtype} {name}")


@api("Copy")
@pytest.mark.parametrize("dtype", FILLED, ids=str)
def test_copy_moves_enabled_lanes(dtype: np.dtype) -> None:
    rng = np.random.default_rng(3)
    batch, expected = Batch(), {}
    lanes = 256 // dtype.itemsize
    low, high = int(rng.integers(0, 2**63)), int(rng.integers(0, 2**63)) if lanes == 128 else 0
    for mask, enabled in (
        (f"uint64_t({lanes - 3})", continuous(lanes - 3, lanes)),
        ("mask", bitwise(low, high, lanes)),
    ):
        for to, of in ((Stride(), Stride()), (Stride(1, 9), Stride(2, 17)), (Stride(2, 15), Stride(0, 1))):
            a = random_values(dtype, extent(3, of, dtype.itemsize, lanes), rng)
            old = random_values(dtype, extent(3, to, dtype.itemsize, lanes), rng)
            x, d = batch.put(a), batch.out(old)
            batch.do(
                f"uint64_t mask[2] = {{{low}ull, {high}ull}}; (void)mask;",
                f"Copy({d}, {x}, {mask}, 3, {{{to.block}, {of.block}, {to.repeat}, {of.repeat}}});",
            )
            expected[d] = level0(old, [a], lambda v: v, enabled=enabled, repeats=3, dst_stride=to, source_strides=[of])
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{dtype} {name}")


@api("Copy", "SetMaskCount")
def test_copy_in_counter_mode_keeps_its_repeats() -> None:
    batch = Batch()
    a = np.arange(192, dtype=np.float32)
    old = np.full(192, -1, np.float32)
    x, d = batch.put(a), batch.out(old)
    batch.do(
        "SetMaskCount();",
        "SetVectorMask<float, MaskMode::COUNTER>(0, 20);",
        f"Copy<float, false>({d}, {x}, MASK_PLACEHOLDER, 3, {{1, 1, 8, 8}});",
        "SetMaskNorm();",
        "ResetMask();",
    )
    assert_same(batch.run()[d], np.where(np.arange(192) % 64 < 20, a, old))
