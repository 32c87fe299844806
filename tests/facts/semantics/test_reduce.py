"""ReduceSum, ReduceMax and ReduceMin over a whole tensor (facts: semantics, section 4)."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from .addressing import Stride, bitwise, continuous, extent
from .batch import Array, Batch
from .marks import api, each
from .reducing import extreme, rows, tree_sum
from .values import FLOAT, HALF, assert_same

_TYPES = (HALF, FLOAT)


def _values(dtype: np.dtype, count: int, rng: np.random.Generator) -> Array:
    return (rng.uniform(-1, 1, count) * 10.0 ** rng.integers(-2, 3, count)).astype(dtype)


def _accumulated(values: Array) -> np.generic:
    """Tree inside each repeat, then one repeat after the other."""
    lanes = 256 // values.itemsize
    parts = [tree_sum(values[i : i + lanes]) for i in range(0, values.size, lanes)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part  # type: ignore[operator]
    return total


@api("ReduceSum", "GetAccVal")
def test_the_count_form_accumulates_repeat_after_repeat() -> None:
    rng = np.random.default_rng(1)
    batch, expected = Batch(), {}
    for dtype in _TYPES:
        lanes = 256 // dtype.itemsize
        ctype = "half" if dtype == HALF else "float"
        for count in (1, 7, lanes, lanes + 1, 5 * lanes, 7 * lanes + 13):
            a = _values(dtype, count, rng)
            x, t, d = batch.put(a), batch.out(np.zeros(count, dtype)), batch.out(np.full(16, 9, dtype))
            batch.do(f"ReduceSum({d}, {x}, {t}, {count});", f"{d}.SetValue(8, GetAccVal<{ctype}>());")
            expected[d] = _accumulated(a), f"{dtype} {count}"
    got = batch.run()
    for name, (want, context) in expected.items():
        assert_same(got[name][[0, 8]], np.array([want, want]), context=context)


def _tree_of_trees(parts: list[np.generic], dtype: np.dtype) -> np.generic:
    """Partials are summed by repeats until one is left."""
    lanes = 256 // dtype.itemsize
    while len(parts) > 1:
        values = np.array(parts, dtype)
        parts = [tree_sum(values[i : i + lanes]) for i in range(0, values.size, lanes)]
    return parts[0]


@api("ReduceSum")
@pytest.mark.parametrize("dtype", _TYPES, ids=str)
def test_the_mask_form_is_trees_all_the_way(dtype: np.dtype) -> None:
    rng = np.random.default_rng(2)
    batch, expected = Batch(), {}
    lanes = 256 // dtype.itemsize
    low, high = int(rng.integers(1, 2**63)), int(rng.integers(0, 2**63)) if lanes == 128 else 0
    masks = (
        (f"const int32_t mask = {lanes};", continuous(lanes, lanes)),
        ("const int32_t mask = 21;", continuous(21, lanes)),
        (f"const uint64_t mask[2] = {{{low}ull, {high}ull}};", bitwise(low, high, lanes)),
    )
    for (mask, enabled), repeats, step in product(masks, (1, 3, 8), (8, 9)):
        stride = Stride(1, step)
        a = _values(dtype, extent(repeats, stride, dtype.itemsize, lanes), rng)
        x, t, d = batch.put(a), batch.out(np.zeros(64, dtype)), batch.out(np.zeros(16, dtype))
        batch.do(mask, f"ReduceSum({d}, {x}, {t}, mask, {repeats}, {step});")
        parts = [tree_sum(row, enabled) for row in rows(a, repeats, stride)]
        expected[d] = _tree_of_trees(parts, dtype), f"{dtype} {mask} {repeats} {step}"
    got = batch.run()
    for name, (want, context) in expected.items():
        assert_same(got[name][:1], np.array([want]), context=context)


@api("ReduceSum")
def test_the_mask_form_takes_more_repeats_than_a_repeat_has_lanes() -> None:
    rng = np.random.default_rng(3)
    batch, expected = Batch(), {}
    # repeats overlap in memory, which reads may do; so 300 repeats of one block each fit
    for repeats in (70, 300):
        a = _values(FLOAT, 8 * repeats, rng)
        x, t, d = batch.put(a), batch.out(np.zeros(304, FLOAT)), batch.out(np.zeros(8, FLOAT))
        batch.do(f"ReduceSum({d}, {x}, {t}, 8, {repeats}, 1);")
        expected[d] = _tree_of_trees([tree_sum(row) for row in a.reshape(repeats, 8)], FLOAT)
    got = batch.run()
    for name, want in expected.items():
        assert_same(got[name][:1], np.array([want]), context=name)


_EXTREMES = ("ReduceMax", "ReduceMin")


@pytest.mark.parametrize("call", each(_EXTREMES))
def test_extremes_of_a_count_with_and_without_index(call: str) -> None:
    rng = np.random.default_rng(4)
    batch, expected = Batch(), {}
    for dtype in _TYPES:
        lanes = 256 // dtype.itemsize
        for count in (1, 5, lanes, lanes + 1, 4 * lanes, 9 * lanes + 17):
            # few distinct values, so that ties are everywhere and the smallest index must win
            a = rng.integers(-20, 20, count).astype(dtype)
            x = batch.put(a)
            t, d, e = (
                batch.out(np.zeros(count + 64, dtype)),
                batch.out(np.zeros(16, dtype)),
                batch.out(np.zeros(16, dtype)),
            )
            batch.do(
                f"{call}({d}, {x}, {t}, {count}, true);",
                "PipeBarrier<PIPE_ALL>();",
                f"{call}({e}, {x}, {t}, {count}, false);",
            )
            expected[d] = e, extreme(a, np.ones(count, bool), largest=call == "ReduceMax"), f"{call} {dtype} {count}"
    got = batch.run()
    for name, (plain, (value, index), context) in expected.items():
        bits = got[name].view(np.dtype(f"u{got[name].itemsize}"))
        assert (got[name][0], bits[1], got[plain][0]) == (value, index, value), context


@pytest.mark.parametrize("call", each(_EXTREMES))
def test_extremes_of_repeats_with_an_index(call: str) -> None:
    rng = np.random.default_rng(5)
    batch, expected = Batch(), {}
    for dtype, repeats in product(_TYPES, (1, 2, 9, 40)):
        lanes = 256 // dtype.itemsize
        a = rng.integers(-200, 200, repeats * lanes).astype(dtype)
        x, t, d = batch.put(a), batch.out(np.zeros(repeats * 2 + 64, dtype)), batch.out(np.zeros(16, dtype))
        batch.do(f"{call}({d}, {x}, {t}, {lanes}, {repeats}, 8, true);")
        expected[d] = extreme(a, np.ones(a.size, bool), largest=call == "ReduceMax"), f"{call} {dtype} {repeats}"
    got = batch.run()
    for name, ((value, index), context) in expected.items():
        bits = got[name].view(np.dtype(f"u{got[name].itemsize}"))
        assert (got[name][0], bits[1]) == (value, index), context


@pytest.mark.parametrize("call", each(_EXTREMES))
def test_extremes_of_masked_repeats(call: str) -> None:
    rng = np.random.default_rng(6)
    batch, expected = Batch(), {}
    for dtype, (repeats, step) in product(_TYPES, ((1, 8), (3, 8), (4, 11))):
        lanes = 256 // dtype.itemsize
        stride = Stride(1, step)
        a = _values(dtype, extent(repeats, stride, dtype.itemsize, lanes), rng)
        low, high = int(rng.integers(1, 2**63)), 0
        for mask, enabled in (("33", continuous(33, lanes)), ("mask", bitwise(low, high, lanes))):
            x, t, d = batch.put(a), batch.out(np.zeros(80, dtype)), batch.out(np.zeros(16, dtype))
            batch.do(
                f"const uint64_t mask[2] = {{{low}ull, {high}ull}}; (void)mask;",
                f"{call}({d}, {x}, {t}, {mask}, {repeats}, {step}, false);",
            )
            seen = np.concatenate([row[enabled] for row in rows(a, repeats, stride)])
            expected[d] = seen.max() if call == "ReduceMax" else seen.min(), f"{call} {dtype} {repeats} {step} {mask}"
    got = batch.run()
    for name, (want, context) in expected.items():
        assert got[name][0] == want, context


@api("ReduceSum", "ReduceMax", "ReduceMin")
def test_nan_and_infinity_reach_the_result() -> None:
    batch = Batch()
    broken = np.arange(200, dtype=np.float32)
    broken[150] = np.nan
    endless = np.arange(200, dtype=np.float32)
    endless[3] = np.inf
    x, y, t = batch.put(broken), batch.put(endless), batch.out(np.zeros(256, FLOAT))
    calls = [(call, source) for call in ("ReduceSum", "ReduceMax", "ReduceMin") for source in (x, y)]
    names = []
    for call, source in calls:
        d = batch.out(np.zeros(8, FLOAT))
        names.append(d)
        batch.do(f"{call}({d}, {source}, {t}, 200);")
    results = batch.run()
    got = np.array([results[name][0] for name in names])
    np.testing.assert_array_equal(got, [np.nan, np.inf, np.nan, np.inf, np.nan, 0])


@pytest.mark.parametrize("call", each(_EXTREMES))
def test_extremes_of_infinities_alone(call: str) -> None:
    batch, names = Batch(), []
    worst = -np.inf if call == "ReduceMax" else np.inf
    for dtype, count in product(_TYPES, (3, 300)):
        a = np.full(count, worst, dtype)
        x, t, d = batch.put(a), batch.out(np.zeros(count + 64, dtype)), batch.out(np.zeros(16, dtype))
        batch.do(f"{call}({d}, {x}, {t}, {count}, true);")
        names.append(d)
    got = batch.run()
    for name in names:
        assert got[name][0] == worst
        assert got[name].view(np.dtype(f"u{got[name].itemsize}"))[1] == 0


@api("ReduceSum", "ReduceMax", "ReduceMin", "Compares")
def test_more_than_255_repeats() -> None:
    rng = np.random.default_rng(7)
    a = rng.integers(-1000, 1000, 275 * 64).astype(np.float32)
    batch = Batch()
    x, t = batch.put(a), batch.out(np.zeros(800, FLOAT))
    total, most, least = (batch.out(np.zeros(8, FLOAT)) for _ in range(3))
    signs = batch.out(np.zeros(a.size // 8, np.uint8))
    batch.do(
        f"ReduceSum({total}, {x}, {t}, {a.size});",
        f"ReduceMax({most}, {x}, {t}, {a.size}, true);",
        f"ReduceMin({least}, {x}, {t}, {a.size}, true);",
        f"Compares({signs}, {x}, 0.0f, CMPMODE::GT, {a.size});",
    )
    got = batch.run()
    assert got[total][0] == a.sum(dtype=np.float64)
    assert (got[most][0], got[most].view(np.uint32)[1]) == (a.max(), a.argmax())
    assert (got[least][0], got[least].view(np.uint32)[1]) == (a.min(), a.argmin())
    assert_same(got[signs], np.packbits(a > 0, bitorder="little"))
