"""The mask register: its forms, counter mode, and what a call leaves in it (facts: semantics, sections 2.2 and 2.3)."""

from __future__ import annotations

import numpy as np
import pytest

from .addressing import Stride, bitwise, continuous, counter, extent, level0
from .arithmetic import ARITHMETIC
from .batch import Array, Batch
from .marks import api
from .values import FLOAT, HALF, INT16, INT32, assert_same, tame_values

_PARAMS = "{1, 1, 1, 8, 8, 8}"


def _twice(values: Array) -> Array:
    return values + values


@api("Add")
@pytest.mark.parametrize("dtype", ARITHMETIC, ids=str)
def test_continuous_masks_enable_the_first_lanes(dtype: np.dtype) -> None:
    lanes = 256 // dtype.itemsize
    rng = np.random.default_rng(1)
    batch, expected = Batch(), {}
    a = tame_values(dtype, 2 * lanes, rng)
    x = batch.put(a)
    for count in (0, 1, 15, 31, 32, 33, 63, 64, *((65, 100, 127, 128) if lanes == 128 else ())):
        old = np.full(2 * lanes, 50, dtype)
        d = batch.out(old)
        batch.do(f"uint64_t mask = {count}; Add({d}, {x}, {x}, mask, 2, {_PARAMS});")
        expected[d] = level0(old, [a], _twice, enabled=continuous(count, lanes), repeats=2)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{dtype} {name}")


@api("Add")
@pytest.mark.parametrize("dtype", ARITHMETIC, ids=str)
def test_bit_masks_enable_single_lanes(dtype: np.dtype) -> None:
    lanes = 256 // dtype.itemsize
    rng = np.random.default_rng(2)
    batch, expected = Batch(), {}
    a = tame_values(dtype, 2 * lanes, rng)
    x = batch.put(a)
    words = [(1, 0), (0, 0), (2**63, 0), (0x5555555555555555, 0), (2**64 - 1, 0)]
    words += [(int(rng.integers(0, 2**63)), 0)]
    words += [(0, 1), (0, 2**63), (0xF0F0, 0xAAAAAAAAAAAAAAAA), (2**64 - 1, 2**64 - 1)] if lanes == 128 else []
    for low, high in words:
        old = np.full(2 * lanes, 50, dtype)
        d = batch.out(old)
        batch.do(f"uint64_t mask[2] = {{{low}ull, {high}ull}}; Add({d}, {x}, {x}, mask, 2, {_PARAMS});")
        expected[d] = level0(old, [a], _twice, enabled=bitwise(low, high, lanes), repeats=2)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{dtype} {name}")


@api("SetVectorMask", "Add", "Adds")
def test_without_a_mask_of_its_own_a_call_uses_the_register() -> None:
    rng = np.random.default_rng(3)
    batch, expected = Batch(), {}
    for dtype in (HALF, FLOAT, INT16, INT32):
        lanes = 256 // dtype.itemsize
        ctype = {HALF: "half", FLOAT: "float", INT16: "int16_t", INT32: "int32_t"}[dtype]
        low, high = 0x0123456789ABCDEF, 0xFEDCBA9876543210 if lanes == 128 else 0
        a = tame_values(dtype, 2 * lanes, rng)
        x = batch.put(a)
        old = np.full(2 * lanes, 50, dtype)
        d, e, f = batch.out(old), batch.out(old), batch.out(old)
        batch.do(
            f"SetVectorMask<{ctype}, MaskMode::NORMAL>({high}ull, {low}ull);",
            f"Add<{ctype}, false>({d}, {x}, {x}, MASK_PLACEHOLDER, 2, {_PARAMS});",
            "uint64_t none[2] = {0, 0};",
            f"Add<{ctype}, false>({f}, {x}, {x}, none, 2, {_PARAMS});",
            "ResetMask();",
        )
        batch.do(
            f"SetVectorMask<{ctype}>(21);",
            f"Adds<{ctype}, false>({e}, {x}, {x}.GetValue(0), MASK_PLACEHOLDER, 2, {{1, 1, 8, 8}});",
            "ResetMask();",
        )
        expected[d] = level0(old, [a], _twice, enabled=bitwise(low, high, lanes), repeats=2)
        expected[f] = expected[d]
        expected[e] = level0(
            old, [a], lambda v, c=a[0]: (v + c).astype(v.dtype), enabled=continuous(21, lanes), repeats=2
        )
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=name)


@api("SetMaskCount", "SetMaskNorm", "SetVectorMask", "Add", "Muls")
def test_counter_mode_counts_elements_over_all_repeats() -> None:
    rng = np.random.default_rng(4)
    batch, expected = Batch(), {}
    for dtype in (HALF, FLOAT, INT16, INT32):
        lanes = 256 // dtype.itemsize
        ctype = {HALF: "half", FLOAT: "float", INT16: "int16_t", INT32: "int32_t"}[dtype]
        for count, stride in (
            (5, Stride()),
            (lanes + 9, Stride()),
            (3 * lanes, Stride()),
            (2 * lanes + 3, Stride(2, 16)),
        ):
            repeats = -(-count // lanes)
            a = tame_values(dtype, extent(repeats, Stride(), dtype.itemsize, lanes), rng)
            old = np.full(extent(repeats, stride, dtype.itemsize, lanes), 50, dtype)
            x, d = batch.put(a), batch.out(old)
            batch.do(
                "SetMaskCount();",
                f"SetVectorMask<{ctype}, MaskMode::COUNTER>(0, {count});",
                f"Add<{ctype}, false>({d}, {x}, {x}, MASK_PLACEHOLDER, 1,",
                f"    {{{stride.block}, 1, 1, {stride.repeat}, 8, 8}});",
                "SetMaskNorm();",
                "ResetMask();",
            )
            expected[d] = level0(old, [a], _twice, enabled=counter(count, lanes), repeats=repeats, dst_stride=stride)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=name)


@api("SetVectorMask", "Adds", "Muls", "Maxs")
def test_a_count_form_without_its_own_mask_uses_the_preset_counter() -> None:
    batch = Batch()
    a = np.arange(200, dtype=np.float32)
    x, d, e = batch.put(a), batch.out(np.full(200, -1, FLOAT)), batch.out(np.full(200, -1, FLOAT))
    batch.do(
        "SetMaskCount();",
        "SetVectorMask<float, MaskMode::COUNTER>(150);",
        f"Adds<float, false>({d}, {x}, 1.0f, 1);",
        f"Muls<float, false>({e}, {x}, 3.0f, 1);",
        "SetMaskNorm();",
        "ResetMask();",
    )
    got = batch.run()
    assert_same(got[d], np.concatenate([a[:150] + 1, np.full(50, -1, FLOAT)]))
    assert_same(got[e], np.concatenate([a[:150] * 3, np.full(50, -1, FLOAT)]))


@api("Add", "Exp", "Duplicate")
def test_a_count_form_leaves_a_full_mask_in_normal_mode() -> None:
    batch, expected = Batch(), {}
    for call in (
        "Add({t}, {x}, {x}, 70);",
        "Adds({t}, {x}, 1.0f, 70);",
        "Duplicate({t}, 2.0f, 70);",
        "Abs({t}, {x}, 70);",
    ):
        a = np.arange(128, dtype=np.float32)
        x, t, d = batch.put(a), batch.out(np.zeros(128, FLOAT)), batch.out(np.full(128, -1, FLOAT))
        batch.do(
            "SetVectorMask<float, MaskMode::NORMAL>(0, 7ull);",
            call.format(t=t, x=x),
            f"Add<float, false>({d}, {x}, {x}, MASK_PLACEHOLDER, 2, {_PARAMS});",
        )
        expected[d] = a + a
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=name)


@api("Add", "Adds")
def test_a_level0_call_leaves_the_mask_that_it_set() -> None:
    batch = Batch()
    a = np.arange(64, dtype=np.float32)
    x, t = batch.put(a), batch.out(np.zeros(64, FLOAT))
    d, e = batch.out(np.full(64, -1, FLOAT)), batch.out(np.full(64, -1, FLOAT))
    batch.do(
        f"Adds({t}, {x}, 1.0f, uint64_t(10), 1, {{1, 1, 8, 8}});",
        f"Add<float, false>({d}, {x}, {x}, MASK_PLACEHOLDER, 1, {_PARAMS});",
        "ResetMask();",
        f"Add<float, false>({e}, {x}, {x}, MASK_PLACEHOLDER, 1, {_PARAMS});",
    )
    got = batch.run()
    assert_same(got[d], np.where(np.arange(64) < 10, a + a, -1).astype(FLOAT))
    assert_same(got[e], a + a)


@api("Add")
def test_the_first_call_of_a_kernel_finds_a_full_mask() -> None:
    batch = Batch()
    a = np.arange(128, dtype=np.float16)
    x, d = batch.put(a), batch.out(np.zeros(128, HALF))
    batch.do(f"Add<half, false>({d}, {x}, {x}, MASK_PLACEHOLDER, 1, {_PARAMS});")
    assert_same(batch.run()[d], a + a)
