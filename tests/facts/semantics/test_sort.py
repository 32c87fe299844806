"""Sorting (facts: semantics, section 13; overloads, section 1.6)."""

from __future__ import annotations

import numpy as np
import pytest

from .batch import Array, Batch
from .marks import api
from .values import CTYPE, FLOAT, HALF, UINT16, UINT32, assert_same

SCORES = (HALF, FLOAT)


def _structs(scores: Array, indices: Array) -> Array:
    """Pairs as the chip packs them: 8 bytes each, the score in the lowest bytes, the index in the upper four."""
    packed = np.zeros((scores.size, 8 // scores.dtype.itemsize), scores.dtype)
    packed[:, 0] = scores
    halves = np.ascontiguousarray(indices.astype(np.uint32)).view(scores.dtype).reshape(scores.size, -1)
    packed[:, 4 // scores.dtype.itemsize :] = halves
    return packed.ravel()


def _descending(scores: Array, indices: Array) -> tuple[Array, Array]:
    order = np.argsort(-scores.astype(np.float64), kind="stable")
    return scores[order], indices[order]


def _pairs(structs: Array) -> Array:
    """The 8 bytes of each pair as (score bits, index); the two bytes that half scores leave over are dropped."""
    words = np.ascontiguousarray(structs).view(np.uint32).reshape(-1, 2).copy()
    if structs.dtype == HALF:
        words[:, 0] &= 0xFFFF
    return words


def _same(got: Array, want: Array) -> None:
    np.testing.assert_array_equal(_pairs(got), _pairs(want))


@api("Sort32", "Extract")
@pytest.mark.parametrize("dtype", SCORES, ids=str)
def test_sort32_sorts_each_32_pairs(dtype: np.dtype) -> None:
    rng = np.random.default_rng(7)
    scores = rng.integers(-20, 20, 128).astype(dtype)
    indices = rng.permutation(1000)[:128].astype(np.uint32)
    batch = Batch()
    s, i = batch.put(scores), batch.put(indices)
    wide = np.zeros(128 * 8 // dtype.itemsize, dtype)
    d, values, places = batch.out(wide), batch.out(np.zeros(128, dtype)), batch.out(np.zeros(128, np.uint32))
    untouched = batch.out(np.full(256 // dtype.itemsize, 3, dtype))
    batch.do(f"Sort32({d}, {s}, {i}, 4);")
    batch.do(f"Sort32({untouched}, {s}, {i}, 0);")
    batch.do(f"Extract({values}, {places}, {d}, 4);")
    got = batch.run()
    runs = [_descending(scores[r : r + 32], indices[r : r + 32]) for r in range(0, 128, 32)]
    sorted_scores, sorted_indices = (np.concatenate(x) for x in zip(*runs, strict=True))
    _same(got[d], _structs(sorted_scores, sorted_indices))
    assert_same(got[values], sorted_scores)
    assert_same(got[places], sorted_indices)
    assert_same(got[untouched], np.full(256 // dtype.itemsize, 3, dtype))


def _queues(dtype: np.dtype, lengths: tuple[int, ...], seed: int) -> tuple[list[Array], Array]:
    rng = np.random.default_rng(seed)
    queues, scores, indices = [], [], []
    for number, length in enumerate(lengths):
        values, places = _descending(
            rng.integers(-30, 30, length).astype(dtype), (np.arange(length) + 1000 * number).astype(np.uint32)
        )
        queues.append(_structs(values, places))
        scores.append(values)
        indices.append(places)
    merged = _descending(np.concatenate(scores), np.concatenate(indices))
    return queues, _structs(*merged)


@api("MrgSort")
@pytest.mark.parametrize("dtype", SCORES, ids=str)
def test_mrgsort_merges_two_three_and_four_queues(dtype: np.dtype) -> None:
    batch, expected = Batch(), {}
    for lengths, valid in (((32, 32), 3), ((8, 20, 12), 7), ((32, 16, 4, 64), 15)):
        queues, want = _queues(dtype, lengths, valid)
        names = [batch.put(q) for q in queues]
        names += [names[0]] * (4 - len(names))
        counts = ", ".join(str(n) for n in (*lengths, 0, 0)[:4])
        d = batch.out(np.zeros_like(want))
        batch.do(
            f"const uint16_t counts[4] = {{{counts}}};",
            f"MrgSort4Info info(counts, false, {valid}, 1);",
            f"MrgSortSrcList<{CTYPE[dtype]}> list({', '.join(names)});",
            f"MrgSort({d}, list, info);",
        )
        expected[d] = want
    got = batch.run()
    for name, want in expected.items():
        _same(got[name], want)


@api("MrgSort")
@pytest.mark.parametrize("dtype", SCORES, ids=str)
def test_mrgsort_repeats_over_contiguous_queues(dtype: np.dtype) -> None:
    batch, step = Batch(), 8 * 8 // dtype.itemsize
    first, want_first = _queues(dtype, (8, 8, 8, 8), 1)
    second, want_second = _queues(dtype, (8, 8, 8, 8), 2)
    s = batch.put(np.concatenate(first + second))
    want = np.concatenate([want_first, want_second])
    d = batch.out(np.zeros_like(want))
    parts = ", ".join(f"{s}[{i * step}]" for i in range(4))
    batch.do(
        "const uint16_t counts[4] = {8, 8, 8, 8};",
        "MrgSort4Info info(counts, false, 15, 2);",
        f"MrgSortSrcList<{CTYPE[dtype]}> list({parts});",
        f"MrgSort({d}, list, info);",
    )
    _same(batch.run()[d], want)


@api("MrgSort", "GetMrgSortResult")
def test_mrgsort_stops_when_a_queue_is_empty() -> None:
    batch = Batch()
    short = _structs(np.array([9, 8, 7, 6], np.float32), np.arange(4, dtype=np.uint32))
    long = _structs(np.array([8.5, 7.5, 5, 4, 3, 2, 1, 0], np.float32), np.arange(10, 18, dtype=np.uint32))
    a, b = batch.put(short), batch.put(long)
    d, taken = batch.out(np.zeros(24, np.float32)), batch.out(np.zeros(16, UINT16))
    batch.do(
        "const uint16_t counts[4] = {4, 8, 0, 0};",
        "MrgSort4Info info(counts, true, 3, 1);",
        f"MrgSortSrcList<float> list({a}, {b}, {a}, {a});",
        f"MrgSort({d}, list, info);",
        "PipeBarrier<PIPE_ALL>();",
        "uint16_t n0 = 0; uint16_t n1 = 0; uint16_t n2 = 0; uint16_t n3 = 0;",
        "GetMrgSortResult(n0, n1, n2, n3);",
        f"{taken}.SetValue(0, n0); {taken}.SetValue(1, n1);",
    )
    got = batch.run()
    assert got[taken][:2].tolist() == [4, 2]
    merged = _structs(np.array([9, 8.5, 8, 7.5, 7, 6], np.float32), np.array([0, 10, 1, 11, 2, 3], np.uint32))
    _same(got[d][: merged.size], merged)


@api("Sort", "Concat", "Extract")
@pytest.mark.parametrize("dtype", SCORES, ids=str)
def test_full_sort_orders_all_pairs(dtype: np.dtype) -> None:
    rng = np.random.default_rng(11)
    scores = rng.integers(-40, 40, 128).astype(dtype)
    indices = np.arange(128, dtype=UINT32)
    batch, wide = Batch(), np.zeros(128 * 8 // dtype.itemsize, dtype)
    s, i = batch.put(scores), batch.put(indices)
    d, tmp = batch.out(wide), batch.put(wide)  # scratch holds nothing defined behind the calls: it is no result
    values, places = batch.out(np.zeros(128, dtype)), batch.out(np.zeros(128, UINT32))
    batch.do(
        f"LocalTensor<{CTYPE[dtype]}> joined;",
        f"Concat(joined, {s}, {tmp}, 128 / 16);",
        f"Sort<{CTYPE[dtype]}, true>({d}, joined, {i}, {tmp}, 4);",
        "PipeBarrier<PIPE_ALL>();",
        f"Extract({values}, {places}, {d}, 4);",
    )
    got = batch.run()
    want = _descending(scores, indices)
    assert_same(got[values], want[0])
    assert_same(got[places], want[1])


@api("MrgSort")
@pytest.mark.parametrize("dtype", SCORES, ids=str)
def test_mrgsort_of_the_library_takes_counts(dtype: np.dtype) -> None:
    batch = Batch()
    queues, want = _queues(dtype, (16, 8, 24, 4), 3)
    names = [batch.put(q) for q in queues]
    d = batch.out(np.zeros_like(want))
    batch.do(
        "const uint16_t counts[4] = {16, 8, 24, 4}; uint32_t taken[4] = {0, 0, 0, 0};",
        f"MrgSortSrcList<{CTYPE[dtype]}> list({', '.join(names)});",
        f"MrgSort<{CTYPE[dtype]}, false>({d}, list, counts, taken, 15, 1);",
    )
    _same(batch.run()[d], want)
