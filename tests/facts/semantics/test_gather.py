"""Gather, Gatherb and GatherMask (facts: semantics, section 12)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from .addressing import Stride, bitwise, continuous, extent, indices
from .batch import Array, Batch
from .marks import api
from .test_addressing import few
from .values import BF16, FLOAT, HALF, INT16, INT32, UINT16, UINT32, assert_same, random_values

GATHERED = (INT16, UINT16, HALF, BF16, INT32, UINT32, FLOAT)


@api("Gather")
@pytest.mark.parametrize("dtype", GATHERED, ids=str)
def test_gather_reads_at_byte_offsets(dtype: np.dtype) -> None:
    rng = np.random.default_rng(1)
    batch, expected = Batch(), {}
    lanes = 256 // dtype.itemsize
    a = random_values(dtype, 500, rng)
    x = batch.put(a)
    for base, count in ((0, 1), (0, lanes), (16 * dtype.itemsize, 2 * lanes + 5)):
        picks = rng.integers(0, 480, 3 * lanes)
        old = random_values(dtype, 3 * lanes, rng)
        o, d = batch.put((picks * dtype.itemsize).astype(np.uint32)), batch.out(old)
        batch.do(f"Gather({d}, {x}, {o}, {base}, {count});")
        want = a[picks + base // dtype.itemsize]
        expected[d] = np.where(np.arange(3 * lanes) < count, want, old).astype(dtype)
    low, high = int(rng.integers(0, 2**63)), int(rng.integers(0, 2**63)) if lanes == 128 else 0
    for mask, enabled in (("uint64_t(27)", continuous(27, lanes)), ("mask", bitwise(low, high, lanes))):
        for step in (8, 11):
            picks = rng.integers(0, 480, 2 * lanes)
            old = random_values(dtype, extent(2, Stride(1, step), dtype.itemsize, lanes), rng)
            o, d = batch.put((picks * dtype.itemsize).astype(np.uint32)), batch.out(old)
            batch.do(
                f"const uint64_t mask[2] = {{{low}ull, {high}ull}}; (void)mask;",
                f"Gather({d}, {x}, {o}, 0, {mask}, 2, {step});",
            )
            want = old.copy()
            for r in range(2):
                places = indices(r, Stride(1, step), dtype.itemsize, lanes)
                want[places[enabled]] = a[picks[r * lanes : (r + 1) * lanes][enabled]]
            expected[d] = want
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{dtype} {name}")


@api("Gatherb")
@pytest.mark.parametrize("dtype", (UINT16, UINT32), ids=str)
def test_gatherb_moves_whole_blocks(dtype: np.dtype) -> None:
    rng = np.random.default_rng(2)
    batch, expected = Batch(), {}
    per_block = 32 // dtype.itemsize
    a = random_values(dtype, 40 * per_block, rng)
    x = batch.put(a)
    for repeats, stride in ((1, Stride()), (3, Stride()), (2, Stride(2, 17))):
        picks = rng.integers(0, 40, 8 * repeats)
        old = random_values(dtype, extent(repeats, stride, dtype.itemsize, 8 * per_block), rng)
        o, d = batch.put((picks * 32).astype(np.uint32)), batch.out(old)
        batch.do(f"Gatherb({d}, {x}, {o}, {repeats}, {{{stride.block}, {stride.repeat}}});")
        want = old.copy()
        for i, pick in enumerate(picks):
            block = i // 8 * stride.repeat + i % 8 * stride.block
            want[block * per_block : (block + 1) * per_block] = a[pick * per_block : (pick + 1) * per_block]
        expected[d] = want
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name], want, context=f"{dtype} {name}")


_BUILTIN = {1: (2, 0), 2: (2, 1), 3: (4, 0), 4: (4, 1), 5: (4, 2), 6: (4, 3), 7: (1, 0)}
"""Pattern number: (period, phase) of the elements that are kept."""


def _kept(pattern: int, count: int) -> Array:
    period, phase = _BUILTIN[pattern]
    return np.arange(count) % period == phase


def _check(batch: Batch, cases: dict[str, tuple[str, Array, str]]) -> None:
    got = batch.run()
    for name, (counter, want, context) in cases.items():
        assert got[counter][0] == want.size, f"{context}: kept {got[counter][0]}, expected {want.size}"
        assert_same(got[name][: want.size], want, context=context)


def _gather(batch: Batch, dtype: np.dtype, size: int, call: str) -> tuple[str, str]:
    """Adds one GatherMask call that writes DST; returns the names of the result and of the count of kept elements."""
    d, n = batch.out(np.zeros(size, dtype)), batch.out(np.zeros(8, np.int32))
    batch.do(
        "uint64_t kept = 0;",
        call.replace("DST", d),
        f"{n}.SetValue(0, static_cast<int32_t>(kept));",
    )
    return d, n


@api("GatherMask")
@pytest.mark.parametrize("dtype", GATHERED, ids=str)
def test_builtin_patterns_over_whole_repeats(dtype: np.dtype) -> None:
    rng = np.random.default_rng(3)
    batch, cases = Batch(), {}
    lanes = 256 // dtype.itemsize
    for pattern in _BUILTIN:
        for repeats, stride in ((1, Stride()), (3, Stride()), (2, Stride(2, 17))):
            a = random_values(dtype, extent(repeats, stride, dtype.itemsize, lanes), rng)
            x = batch.put(a)
            params = f"{{{stride.block}, {repeats}, {stride.repeat}, 0}}"
            call = f"GatherMask(DST, {x}, {pattern}, false, 0, {params}, kept);"
            d, n = _gather(batch, dtype, repeats * lanes, call)
            seen = [a[indices(r, stride, dtype.itemsize, lanes)][_kept(pattern, lanes)] for r in range(repeats)]
            cases[d] = n, np.concatenate(seen), f"{dtype} pattern {pattern} {params}"
    _check(batch, cases)


@api("GatherMask")
@pytest.mark.parametrize("dtype", (HALF, FLOAT, INT16, UINT32), ids=str)
def test_a_count_of_elements_per_repeat(dtype: np.dtype) -> None:
    rng = np.random.default_rng(4)
    batch, cases = Batch(), {}
    for pattern, (count, repeats, step) in ((2, (70, 1, 8)), (7, (13, 2, 9)), (3, (150, 2, 24)), (1, (200, 1, 0))):
        per_block = 32 // dtype.itemsize
        a = random_values(dtype, (repeats - 1) * step * per_block + count + per_block, rng)
        x = batch.put(a)
        call = f"GatherMask(DST, {x}, {pattern}, true, {count}, {{1, {repeats}, {step}, 0}}, kept);"
        d, n = _gather(batch, dtype, repeats * count, call)
        seen = [a[r * step * per_block :][:count][_kept(pattern, count)] for r in range(repeats)]
        cases[d] = n, np.concatenate(seen), f"{dtype} {call}"
    _check(batch, cases)


@api("GatherMask")
@few
@given(st.integers(0, 2**32 - 1))
def test_patterns_given_as_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    batch, cases = Batch(), {}
    for dtype in (HALF, INT16, FLOAT, INT32):
        word = np.uint16 if dtype.itemsize == 2 else np.uint32
        lanes, per_block = 256 // dtype.itemsize, 32 // dtype.itemsize
        for counted, pattern_step in ((False, 0), (False, 1), (True, 0), (True, 1)):
            count = int(rng.integers(1, lanes + 40)) if counted else lanes
            repeats, step = int(rng.integers(1, 4)), 14
            a = random_values(dtype, (repeats - 1) * step * per_block + count + per_block, rng)
            words = rng.integers(0, 256, 128).astype(np.uint8)
            x, m = batch.put(a), batch.put(words.view(word))
            flag = "true" if counted else "false"
            amount = count if counted else 0
            call = f"GatherMask(DST, {x}, {m}, {flag}, {amount}, {{1, {repeats}, {step}, {pattern_step}}}, kept);"
            d, n = _gather(batch, dtype, repeats * count, call)
            seen = []
            for r in range(repeats):
                bits = np.unpackbits(words[r * pattern_step * 32 :], bitorder="little").astype(bool)[:count]
                seen.append(a[r * step * per_block :][:count][bits])
            cases[d] = n, np.concatenate(seen), f"{dtype} {call}"
    _check(batch, cases)


@api("GatherMask", "SetVectorMask")
def test_the_mask_mode_is_normal_afterwards() -> None:
    batch = Batch()
    a = np.arange(128, dtype=np.float32)
    x, d = batch.put(a), batch.out(np.zeros(128, FLOAT))
    t, _ = _gather(batch, FLOAT, 128, f"GatherMask(DST, {x}, 1, true, 70, {{1, 1, 8, 0}}, kept);")
    batch.do(f"Adds({d}, {x}, 1.0f, uint64_t(10), 2, {{1, 1, 8, 8}});")
    got = batch.run()
    assert_same(got[d], np.where(np.arange(128) % 64 < 10, a + 1, 0).astype(np.float32))
    assert_same(got[t][:35], a[:70:2])


@api("GatherMask")
def test_gather_mask_in_place() -> None:
    batch = Batch()
    a = np.arange(256, dtype=np.int32)
    d, n = batch.out(a), batch.out(np.zeros(8, INT32))
    batch.do(
        "uint64_t kept = 0;",
        f"GatherMask({d}, {d}, 2, false, 0, {{1, 4, 8, 0}}, kept);",
        f"{n}.SetValue(0, static_cast<int32_t>(kept));",
    )
    got = batch.run()
    assert got[n][0] == 128
    assert_same(got[d][:128], a[1::2])
