"""Calls that leave the mask register alone: fills, casts, reductions and fused calls with isSetMask = false."""

from __future__ import annotations

import numpy as np
import pytest

from .addressing import Stride, bitwise, counter, extent, level0
from .batch import Batch
from .marks import api, each
from .reducing import extreme, index_bits, rows, tree_sum
from .values import FLOAT, HALF, INT32, assert_same, random_values, tame_values

_LOW = 0x00FF_0F33_5555_8001
_ENABLED = bitwise(_LOW, 0, 64)
_SET = f"SetVectorMask<float, MaskMode::NORMAL>(0, {_LOW}ull);"

_CALLS = {
    "Duplicate": ("Duplicate<float, false>({d}, 5.0f, MASK_PLACEHOLDER, 2, 1, 8);", lambda a, old: np.full_like(a, 5)),
    "Copy": ("Copy<float, false>({d}, {x}, MASK_PLACEHOLDER, 2, {{1, 1, 8, 8}});", lambda a, old: a),
    "Abs": ("Abs<float, false>({d}, {x}, MASK_PLACEHOLDER, 2, {{1, 1, 8, 8}});", lambda a, old: np.abs(a)),
    "Muls": ("Muls<float, false>({d}, {x}, 3.0f, MASK_PLACEHOLDER, 2, {{1, 1, 8, 8}});", lambda a, old: a * 3),
    "Mul": ("Mul<float, false>({d}, {x}, {x}, MASK_PLACEHOLDER, 2, {{1, 1, 1, 8, 8, 8}});", lambda a, old: a * a),
    "MulAddDst": (
        "MulAddDst<float, float, false>({d}, {x}, {x}, MASK_PLACEHOLDER, 2, {{1, 1, 1, 8, 8, 8}});",
        lambda a, old: a * a + old,
    ),
    "Axpy": (
        "Axpy<float, float, false>({d}, {x}, 3.0f, MASK_PLACEHOLDER, 2, {{1, 1, 8, 8}});",
        lambda a, old: a * 3 + old,
    ),
    "Cast": (
        "Cast<float, float, false>({d}, {x}, RoundMode::CAST_FLOOR, MASK_PLACEHOLDER, 2, {{1, 1, 8, 8}});",
        lambda a, old: a,
    ),
}


@pytest.mark.parametrize("call", each(_CALLS))
def test_elementwise_calls_write_the_lanes_of_the_register(call: str) -> None:
    text, oracle = _CALLS[call]
    rng = np.random.default_rng(1)
    batch = Batch()
    a, old = rng.integers(-9, 9, 128).astype(np.float32), rng.integers(-9, 9, 128).astype(np.float32)
    x, d = batch.put(a), batch.out(old)
    batch.do(_SET, text.format(d=d, x=x), "ResetMask();")
    want = np.where(np.tile(_ENABLED, 2), oracle(a, old), old)
    assert_same(batch.run()[d], want.astype(np.float32), zero_sign=False)


@api("WholeReduceSum", "WholeReduceMax", "BlockReduceSum", "PairReduceSum")
def test_reductions_take_the_lanes_of_the_register() -> None:
    rng = np.random.default_rng(2)
    batch = Batch()
    a = tame_values(FLOAT, 128, rng)
    x = batch.put(a)
    whole, most, blocks, pairs = (batch.out(np.full(64, 9, FLOAT)) for _ in range(4))
    batch.do(
        _SET,
        f"WholeReduceSum<float, false>({whole}, {x}, MASK_PLACEHOLDER, 2, 1, 1, 8);",
        f"WholeReduceMax<float, false>({most}, {x}, MASK_PLACEHOLDER, 2, 1, 1, 8);",
        f"BlockReduceSum<float, false>({blocks}, {x}, 2, MASK_PLACEHOLDER, 1, 1, 8);",
        f"PairReduceSum<float, false>({pairs}, {x}, 2, MASK_PLACEHOLDER, 1, 1, 8);",
        "ResetMask();",
    )
    got = batch.run()
    lanes = rows(a, 2, Stride())
    assert_same(got[whole][:2], np.array([tree_sum(row, _ENABLED) for row in lanes]))
    pair = [extreme(row, _ENABLED, largest=True) for row in lanes]
    assert_same(got[most][:4], np.array([v for value, at in pair for v in (value, index_bits(at, FLOAT))]))
    for name, width in ((blocks, 8), (pairs, 2)):
        want = np.full(64, 9, FLOAT)
        for r, row in enumerate(lanes):
            for part in range(64 // width):
                lanes_of_part = slice(part * width, (part + 1) * width)
                if _ENABLED[lanes_of_part].any():
                    want[r * 64 // width + part] = tree_sum(row[lanes_of_part], _ENABLED[lanes_of_part])
        assert_same(got[name], want, context=name)


@api("Cast", "SetMaskCount")
@pytest.mark.parametrize(("source", "to"), [(HALF, FLOAT), (FLOAT, HALF), (HALF, INT32)], ids=str)
def test_counter_mode_counts_elements_of_a_cast(source: np.dtype, to: np.dtype) -> None:
    rng = np.random.default_rng(3)
    batch, expected = Batch(), {}
    ctypes = {HALF: "half", FLOAT: "float", INT32: "int32_t"}
    mode = "CAST_NONE" if (source, to) == (HALF, FLOAT) else "CAST_RINT"
    for count in (3, 64, 150):
        repeats = -(-count // 64)
        ds, ss = Stride(1, 2 * to.itemsize), Stride(1, 2 * source.itemsize)
        a = rng.integers(-99, 99, extent(repeats, ss, source.itemsize, 64)).astype(source)
        old = np.full(extent(repeats, ds, to.itemsize, 64), 7, to)
        x, d = batch.put(a), batch.out(old)
        batch.do(
            "SetMaskCount();",
            f"SetVectorMask<{ctypes[source]}, MaskMode::COUNTER>(0, {count});",
            f"Cast<{ctypes[to]}, {ctypes[source]}, false>({d}, {x}, RoundMode::{mode}, MASK_PLACEHOLDER, 1,",
            f"    {{1, 1, {ds.repeat}, {ss.repeat}}});",
            "SetMaskNorm();",
            "ResetMask();",
        )
        expected[d] = level0(
            old,
            [a],
            lambda v: v.astype(to),
            enabled=counter(count, 64),
            repeats=repeats,
            dst_stride=ds,
            source_strides=[ss],
        )
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=name)


@api("set_vector_mask", "set_mask_count", "set_mask_norm", "vadd", "vor", "vector_dup", "vcadd")
def test_raw_intrinsics() -> None:
    rng = np.random.default_rng(4)
    batch, expected = Batch(), {}
    a, words = rng.integers(-9, 9, 128).astype(np.float32), random_values(np.dtype(np.int16), 128, rng)
    old, oldw = np.full(128, -3, FLOAT), np.zeros(128, np.int16)
    x, w = batch.put(a), batch.put(words)
    d, e, f, s, n = batch.out(old), batch.out(oldw), batch.out(old), batch.out(old), batch.out(old)
    p = {name: f"(__ubuf__ float *){name}.GetPhyAddr()" for name in (x, d, f, s, n)}
    q = {name: f"(__ubuf__ int16_t *){name}.GetPhyAddr()" for name in (w, e)}
    batch.do(
        "set_vector_mask(0, 0xFFull);",
        f"vadd({p[d]}, {p[x]}, {p[x]}, 2, 1, 1, 1, 8, 8, 8);",
        f"vcadd({p[s]}, {p[x]}, 2, 1, 1, 8, false);",
        f"vector_dup({p[f]}, 6.0f, 2, 1, 1, 8, 8);",
        "set_vector_mask(0xFFull, 0);",
        f"vor({q[e]}, {q[w]}, {q[w]}, 1, 1, 1, 1, 8, 8, 8);",
        "set_mask_count();",
        "set_vector_mask(0, 100);",
        f"vadd({p[n]}, {p[x]}, {p[x]}, 1, 1, 1, 1, 8, 8, 8);",
        "set_mask_norm();",
        "set_vector_mask(0xFFFFFFFFFFFFFFFFull, 0xFFFFFFFFFFFFFFFFull);",
    )
    low = np.arange(128) % 64 < 8
    expected[d] = np.where(low, a + a, old)
    expected[f] = np.where(low, 6, old).astype(np.float32)
    expected[e] = np.where((np.arange(128) >= 64) & (np.arange(128) < 72), words, 0).astype(np.int16)
    expected[n] = np.where(np.arange(128) < 100, a + a, old)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=name)
    assert_same(got[s][:2], np.array([tree_sum(a[:8]), tree_sum(a[64:72])]))


@api("vcadd", "get_acc_val", "GetAccVal")
def test_the_accumulating_raw_sum_leaves_its_result_in_the_register() -> None:
    rng = np.random.default_rng(5)
    batch = Batch()
    a = rng.integers(-50, 50, 192).astype(np.float32)
    x, d = batch.put(a), batch.out(np.zeros(8, FLOAT))
    batch.do(
        "set_vector_mask(0, 0xFFFFFFFFFFFFFFFFull);",
        f"vcadd((__ubuf__ float *)nullptr, (__ubuf__ float *){x}.GetPhyAddr(), 3, 1, 1, 8, true);",
        "PipeBarrier<PIPE_ALL>();",
        "int64_t bits = get_acc_val();",
        f"{d}.SetValue(0, *reinterpret_cast<float *>(&bits));",
        f"{d}.SetValue(1, GetAccVal<float>());",
    )
    assert batch.run()[d][:2].tolist() == [a.sum(), a.sum()]


@api("copy_ubuf_to_ubuf", "copy_gm_to_ubuf", "copy_ubuf_to_gm")
def test_raw_copies() -> None:
    batch = Batch()
    a = np.arange(1, 129, dtype=np.float32)
    g, r = batch.put_global(a), batch.out_global(np.zeros(128, FLOAT))
    x = batch.put(np.zeros(128, FLOAT))
    s, d, e, f = batch.put(a), batch.out(np.zeros(128, FLOAT)), batch.out(a), batch.out(np.zeros(128, FLOAT))
    ub = {name: f"(__ubuf__ float *){name}.GetPhyAddr()" for name in (x, s, d, e)}
    batch.do(
        f"copy_gm_to_ubuf({ub[x]}, (__gm__ float *){g}.GetPhyAddr(0), 0, 2, 3, 1, 2);",
        f"copy_ubuf_to_ubuf({ub[d]}, {ub[s]}, 0, 2, 1, 4, 0);",
        f"copy_ubuf_to_gm((__gm__ float *){r}.GetPhyAddr(0), {ub[e]}, 0, 2, 2, 1, 3);",
    )
    batch.do(f"DataCopy({f}, {x}, 128);")
    got = batch.run()
    zeros = np.zeros
    assert_same(got[f][:64], np.concatenate([a[:24], zeros(16), a[32:56]]).astype(np.float32))
    assert_same(got[d][:24], np.concatenate([a[:8], a[40:48], zeros(8)]).astype(np.float32))
    assert_same(got[r][:64], np.concatenate([a[:16], zeros(24), a[24:40], zeros(8)]).astype(np.float32))


@api("WholeReduceSum", "SetMaskCount")
def test_counter_mode_counts_elements_of_a_reduction() -> None:
    rng = np.random.default_rng(6)
    batch = Batch()
    a = tame_values(FLOAT, 128, rng)
    x, d = batch.put(a), batch.out(np.full(8, 9, FLOAT))
    batch.do(
        "SetMaskCount();",
        "SetVectorMask<float, MaskMode::COUNTER>(0, 100);",
        f"WholeReduceSum<float, false>({d}, {x}, MASK_PLACEHOLDER, 1, 1, 1, 8);",
        "SetMaskNorm();",
        "ResetMask();",
    )
    assert_same(batch.run()[d][:3], np.array([tree_sum(a[:64]), tree_sum(a[64:100]), 9], FLOAT))


@api("SetMaskCount", "Add")
def test_a_count_form_ends_counter_mode() -> None:
    batch = Batch()
    a = np.arange(128, dtype=np.float32)
    x, t, d = batch.put(a), batch.out(np.zeros(128, FLOAT)), batch.out(np.full(128, -1, FLOAT))
    batch.do(
        "SetMaskCount();",
        "SetVectorMask<float, MaskMode::COUNTER>(0, 3);",
        f"Add({t}, {x}, {x}, 70);",
        f"Add<float, false>({d}, {x}, {x}, MASK_PLACEHOLDER, 2, {{1, 1, 1, 8, 8, 8}});",
    )
    assert_same(batch.run()[d], a + a)
