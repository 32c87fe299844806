"""Padding, and the largest values of rows, with tilings of the host (facts: ascendc_api.csv; semantics, section 22)."""

from __future__ import annotations

import numpy as np
import pytest

from . import host
from .batch import Array, Batch
from .marks import api
from .values import CTYPE, FLOAT, HALF, INT16, INT32, UINT16, UINT32, assert_same, random_values

_TYPES = pytest.mark.parametrize("dtype", (INT16, UINT16, HALF, INT32, UINT32, FLOAT), ids=str)
_ROWS = 16
"""The whole of what Pad reads fills 32-byte blocks."""


def _values(dtype: np.dtype, shape: tuple[int, int]) -> Array:
    return random_values(dtype, shape[0] * shape[1], np.random.default_rng(1)).reshape(shape)


def _scratches(batch: Batch, least: int, most: int) -> tuple[str, str]:
    assert 0 < least <= most
    return f"{batch.put(np.zeros(least, np.uint8))}, ", ""


@_TYPES
@pytest.mark.parametrize("left", (0, 2))
@api("Pad", "Pad Tiling")
def test_rows_are_padded_to_whole_blocks(dtype: np.dtype, left: int) -> None:
    width, right, size = 32 // dtype.itemsize, 1, dtype.itemsize
    x = _values(dtype, (_ROWS, width - left - right))
    shape = f"ge::Shape({{{_ROWS}, {x.shape[1]}}})"
    [(most, least)] = host.pairs_of(f"GetPadMaxMinTmpSize({shape}, {size}, first, second)")
    batch = Batch()
    s, results = batch.put(x), []
    for scratch in _scratches(batch, least, most):
        fill = f"PadTilingFunc({shape}, {shape}, {least}, {size}, tiling)"
        t, d = batch.tiling("PadTiling", host.tiling_of("PadTiling", fill)), batch.out(np.zeros((_ROWS, width), dtype))
        batch.do(
            f"PadParams pad; pad.leftPad = {left}; pad.rightPad = {right}; pad.padValue = 5;",
            f"Pad<{CTYPE[dtype]}>({d}, {s}, pad, {scratch}{t});",
        )
        results.append(d)
    got = batch.run()
    want = np.full((_ROWS, width), 5).astype(dtype)
    want[:, left : width - right] = x
    for d in results:
        assert_same(got[d], want)


@_TYPES
@api("Pad", "Pad Tiling")
def test_redundant_columns_are_overwritten(dtype: np.dtype) -> None:
    width, right, size = 64 // dtype.itemsize, 2, dtype.itemsize
    x = _values(dtype, (_ROWS, width))
    shape, original = (f"ge::Shape({{{_ROWS}, {w}}})" for w in (width, width - right))
    [(most, least)] = host.pairs_of(f"GetPadMaxMinTmpSize({shape}, {size}, first, second)")
    batch = Batch()
    s, results = batch.put(x), []
    for scratch in _scratches(batch, least, most):
        fill = f"PadTilingFunc({shape}, {original}, {least}, {size}, tiling)"
        t, d = batch.tiling("PadTiling", host.tiling_of("PadTiling", fill)), batch.out(np.zeros_like(x))
        batch.do(
            f"PadParams pad; pad.leftPad = 0; pad.rightPad = {right}; pad.padValue = 5;",
            f"Pad<{CTYPE[dtype]}>({d}, {s}, pad, {scratch}{t});",
        )
        results.append(d)
    got = batch.run()
    want = x.copy()
    want[:, -right:] = np.array(5).astype(dtype)
    for d in results:
        assert_same(got[d], want)


@_TYPES
@pytest.mark.parametrize("right", (1, 3))
@api("UnPad", "UnPad Tiling")
def test_columns_on_the_right_are_dropped(dtype: np.dtype, right: int) -> None:
    width, size = 64 // dtype.itemsize, dtype.itemsize
    x = _values(dtype, (_ROWS, width))
    shape = f"ge::Shape({{{_ROWS}, {width}}})"
    [(most, least)] = host.pairs_of(f"GetUnPadMaxMinTmpSize(platform, {shape}, {size}, first, second)")
    want, batch = x[:, :-right], Batch()
    s, results = batch.put(x), []
    for scratch in _scratches(batch, least, most):
        fill = f"UnPadTilingFunc({shape}, {least}, {size}, tiling)"
        t, d = batch.tiling("UnPadTiling", host.tiling_of("UnPadTiling", fill)), batch.out(np.zeros_like(x))
        batch.do(
            f"UnPadParams pad; pad.leftPad = 0; pad.rightPad = {right};",
            f"UnPad<{CTYPE[dtype]}>({d}, {s}, pad, {scratch}{t});",
        )
        results.append(d)
    got = batch.run()
    for d in results:
        assert_same(got[d].ravel()[: want.size], np.ascontiguousarray(want).ravel())


def _top(
    batch: Batch,
    x: Array,
    k: int,
    *,
    largest: bool = True,
    mode: str = "NORMAL",
    index: Array | None = None,
    finished: Array | None = None,
    valid: int = 0,
) -> list[str]:
    """Calls with the least scratch and with none; names of values [rows, k padded] and indices.

    Args:
        batch: Takes arrays and statements.
        x: [rows, inner].
        k: Values of each row.
        largest: Descending from the largest, or ascending from the smallest.
        mode: NORMAL or NSMALL.
        index: Given indices of a row; none where the call counts them.
        finished: 1 for every row that is done already; none where the call has no such rows.
        valid: Columns that hold values; 0 for all.
    """
    rows, inner, given = *x.shape, str(index is not None).lower()
    size, ctype = x.dtype.itemsize, CTYPE[x.dtype]
    flags = f"{given}, TopKMode::TOPK_{mode}, {str(largest).lower()}"
    call = f"GetTopKMaxMinTmpSize(platform, {inner}, {rows}, false, {flags}, {size}, first, second)"
    [(most, least)] = host.pairs_of(call)
    fill = f"TopKTilingFunc(platform, {inner}, {rows}, {k}, {size}, {flags}, tiling)"
    t = batch.tiling("TopkTiling", host.tiling_of("TopkTiling", fill))
    s, i = batch.put(x), batch.put(np.zeros(8, INT32) if index is None else index)
    f = batch.put(np.zeros(32, np.uint8) if finished is None else finished)
    wide, narrow = (-(-k // n) * n for n in (32 // size, 8))
    values, indices = batch.out(np.zeros((rows, wide), x.dtype)), batch.out(np.zeros((rows, narrow), INT32))
    done = str(finished is not None).lower()
    for scratch in _scratches(batch, least, most):
        batch.do(
            f"TopKInfo info; info.outter = {rows}; info.inner = {inner}; info.n = {valid or inner};",
            f"TopK<{ctype}, {given}, {done}, false, TopKMode::TOPK_{mode}>({values}, {indices},",
            f"    {s}, {i}, {f}.ReinterpretCast<bool>(), {scratch}{k}, {t}, info, {str(largest).lower()});",
        )
    return [values, indices]


@api("TopK", "TopK Tiling")
@pytest.mark.parametrize("dtype", (HALF, FLOAT), ids=str)
@pytest.mark.parametrize("largest", (True, False), ids=("largest", "smallest"))
@pytest.mark.parametrize("mode", ("NORMAL", "NSMALL"))
def test_first_values_of_rows(dtype: np.dtype, largest: bool, mode: str) -> None:
    inner, k, rows = 32 if mode == "NSMALL" else 96, 5, 3
    x = np.random.default_rng(2).integers(-20, 20, (rows, inner)).astype(dtype)
    batch = Batch()
    values, indices = _top(batch, x, k, largest=largest, mode=mode)
    got = batch.run()
    order = np.argsort(-x if largest else x, axis=1, kind="stable")[:, :k].astype(np.int32)
    assert_same(got[values][:, :k], np.take_along_axis(x, order, axis=1))
    assert_same(got[indices][:, :k], order)


@api("TopK")
def test_indices_may_be_given() -> None:
    x = np.random.default_rng(3).permutation(64).astype(FLOAT).reshape(2, 32)
    index = (np.arange(32) * 7 + 100).astype(INT32)
    batch = Batch()
    values, indices = _top(batch, x, 8, largest=True, index=index)
    got = batch.run()
    order = np.argsort(-x, axis=1)[:, :8]
    assert_same(got[values], np.take_along_axis(x, order, axis=1))
    assert_same(got[indices], index[order])


@api("TopK")
def test_columns_without_values_stay_out() -> None:
    x = np.random.default_rng(4).permutation(128).astype(FLOAT).reshape(2, 64)
    x[:, 50:] = -np.inf
    batch = Batch()
    values, indices = _top(batch, x, 8, valid=50)
    got = batch.run()
    order = np.argsort(-x, axis=1)[:, :8].astype(INT32)
    assert_same(got[values], np.take_along_axis(x, order, axis=1))
    assert_same(got[indices], order)


@api("TopK")
def test_finished_rows_have_the_index_behind_the_last() -> None:
    x = np.random.default_rng(5).permutation(96).astype(FLOAT).reshape(3, 32)
    finished = np.zeros(32, np.uint8)
    finished[1] = 1
    batch = Batch()
    _, indices = _top(batch, x, 8, finished=finished)
    got = batch.run()
    want = np.argsort(-x, axis=1)[:, :8].astype(INT32)
    want[1] = 32
    assert_same(got[indices], want)


@api("TopK")
@pytest.mark.parametrize("dtype", (HALF, FLOAT), ids=str)
def test_nan_comes_before_infinity(dtype: np.dtype) -> None:
    x = np.arange(32).astype(dtype).reshape(1, 32)
    x[0, 7], x[0, 20], x[0, 3] = np.nan, np.inf, -np.inf
    batch = Batch()
    values, indices = _top(batch, x, 4)
    got = batch.run()
    assert_same(got[values][0, :4], np.array([np.nan, np.inf, 31, 30], dtype))
    assert got[indices][0, :4].tolist() == [7, 20, 31, 30]


def _is_basic(*shapes: tuple[int, int, int]) -> list[bool]:
    """The host's answer for tilings of [rows, columns] of elements of some bytes, with the most scratch."""
    text = "[&] {{ optiling::SoftMaxTiling tiling; const ge::Shape shape({{{0}, {1}}});"
    text += " SoftMaxTilingFunc(shape, {2}, GetSoftMaxMaxTmpSize(shape, {2}, false), tiling);"
    text += " return IsBasicBlockInSoftMax(tiling, {2}); }}()"
    return [bool(n) for n in host.values_of(*(text.format(*shape) for shape in shapes))]


@api("IsBasicBlockInSoftMax", "SoftMax/SimpleSoftMax Tiling")
def test_basic_blocks_of_softmax() -> None:
    assert _is_basic((8, 64, 4), (16, 192, 4), (8, 128, 2)) == [True] * 3
    assert _is_basic((8, 48, 4), (6, 64, 4)) == [False] * 2


@api("IsBasicBlockInSoftMax", "SoftMax/SimpleSoftMax Tiling")
def test_basic_blocks_are_neither_too_narrow_nor_too_wide() -> None:
    assert _is_basic((8, 2048, 4), (8, 64, 2)) == [False] * 2
