"""The softmax family (facts: semantics, section 22; host_api, section 9; ascendc_api.csv, high-level activation)."""

from __future__ import annotations

import numpy as np
import pytest

from .batch import Array, Batch
from .marks import api
from .values import CTYPE, FLOAT, HALF, assert_same

ROWS, COLUMNS = 8, 64
TOLERANCE = {HALF: 8e-3, FLOAT: 1e-5}
"""The facts give functions, not errors: these are bounds that a wrong function cannot meet."""
TYPES = (HALF, FLOAT)
_SPLITS = (ROWS, 3)
"""Rows that one step handles: all of them, or a part with a tail (the result is the same, says the facts)."""
_SHAPE = f"SoftMaxShapeInfo{{{ROWS}, {COLUMNS}, {ROWS}, {COLUMNS}}}"


def _tiling(dtype: np.dtype, part: int = ROWS, columns: int = COLUMNS, kind: str = "SoftMaxTiling") -> str:
    """Statement that fills a tiling as the host's function does (facts: host_api, section 9)."""
    block = 32 // dtype.itemsize
    tail = ROWS % part
    fields = {
        "srcM": ROWS,
        "srcK": columns,
        "srcSize": ROWS * columns,
        "outMaxM": ROWS,
        "outMaxK": block,
        "outMaxSize": ROWS * block,
        "splitM": part,
        "splitK": columns,
        "splitSize": part * columns,
        "reduceM": part,
        "reduceK": block,
        "reduceSize": part * block,
        "rangeM": ROWS // part,
        "tailM": tail,
        "tailSplitSize": tail * columns,
        "tailReduceSize": tail * block,
    }
    return f"{kind} tiling; " + " ".join(f"tiling.{name} = {value};" for name, value in fields.items())


def _near(got: Array, want: Array, context: str) -> None:
    a, b = got.astype(np.float64).ravel(), want.astype(np.float64).ravel()
    bound = TOLERANCE[got.dtype]
    bad = np.flatnonzero(~(np.abs(a - b) <= bound * np.abs(b) + bound / 100))
    assert bad.size == 0, f"{context}: {bad.size} of {a.size}: {[(int(i), a[i], b[i]) for i in bad[:6]]}"


def _source(dtype: np.dtype, seed: int, low: float = -3, high: float = 3, columns: int = COLUMNS) -> Array:
    return np.random.default_rng(seed).uniform(low, high, (ROWS, columns)).astype(dtype)


def _block_of(rows: Array, dtype: np.dtype) -> Array:
    """One value per row, repeated over the 32 bytes of a block."""
    return np.repeat(rows.reshape(ROWS, 1), 32 // dtype.itemsize, axis=1)


def _softmax(x: Array) -> tuple[Array, Array, Array]:
    a = x.astype(np.float64)
    top = a.max(axis=1, keepdims=True)
    e = np.exp(a - top)
    total = e.sum(axis=1, keepdims=True)
    return e / total, total, top


def _blocks(batch: Batch, dtype: np.dtype, fill: float = 7) -> str:
    return batch.out(np.full((ROWS, 32 // dtype.itemsize), fill, dtype))


@api("SoftMax")
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_rows_add_up_to_one(dtype: np.dtype) -> None:
    batch, x, ctype = Batch(), _source(dtype, 1), CTYPE[dtype]
    s, tmp = batch.put(x), batch.put(np.zeros(8192, np.uint8))
    want, total, top = _softmax(x)
    expected = {}
    for part in _SPLITS:
        for given in (f"{tmp}, ", ""):
            d, sums, maxima = batch.out(np.zeros_like(x)), _blocks(batch, dtype), _blocks(batch, dtype)
            batch.do(_tiling(dtype, part), f"SoftMax<{ctype}>({d}, {sums}, {maxima}, {s}, {given}tiling, {_SHAPE});")
            alone = batch.out(np.zeros_like(x))
            batch.do(_tiling(dtype, part), f"SoftMax<{ctype}>({alone}, {s}, {given}tiling, {_SHAPE});")
            expected |= {d: want, alone: want, sums: _block_of(total, dtype), maxima: _block_of(top, dtype)}
    got = batch.run()
    for name, value in expected.items():
        _near(got[name], value, f"{name} {dtype}")


@api("SoftMax")
def test_half_rows_with_float_sums() -> None:
    batch, x = Batch(), _source(HALF, 2)
    s, tmp, d = batch.put(x), batch.put(np.zeros(8192, np.uint8)), batch.out(np.zeros_like(x))
    sums, maxima = _blocks(batch, FLOAT), _blocks(batch, FLOAT)
    batch.do(_tiling(FLOAT), f"SoftMax<half>({d}, {sums}, {maxima}, {s}, {tmp}, tiling, {_SHAPE});")
    got = batch.run()
    want, total, top = _softmax(x)
    _near(got[d], want, "values")
    np.testing.assert_allclose(got[sums], _block_of(total, FLOAT), rtol=8e-3)
    assert_same(got[maxima], _block_of(top, FLOAT).astype(np.float32))


@api("SoftMax")
def test_a_basic_block_is_only_faster() -> None:
    batch, x = Batch(), _source(FLOAT, 3)
    s, tmp, d = batch.put(x), batch.put(np.zeros(8192, np.uint8)), batch.out(np.zeros_like(x))
    sums, maxima = _blocks(batch, FLOAT), _blocks(batch, FLOAT)
    batch.do(_tiling(FLOAT), f"SoftMax<float, false, true>({d}, {sums}, {maxima}, {s}, {tmp}, tiling, {_SHAPE});")
    got = batch.run()
    want, total, top = _softmax(x)
    _near(got[d], want, "values")
    _near(got[sums], _block_of(total, FLOAT), "sums")
    _near(got[maxima], _block_of(top, FLOAT), "maxima")


@api("SoftMax")
def test_source_and_destination_may_be_one_tensor() -> None:
    batch, x = Batch(), _source(FLOAT, 4)
    tmp, d = batch.put(np.zeros(8192, np.uint8)), batch.out(x)
    sums, maxima = _blocks(batch, FLOAT), _blocks(batch, FLOAT)
    batch.do(_tiling(FLOAT), f"SoftMax<float>({d}, {sums}, {maxima}, {d}, {tmp}, tiling, {_SHAPE});")
    _near(batch.run()[d], _softmax(x)[0], "values")


@api("SimpleSoftMax")
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_given_maxima_and_sums_are_taken(dtype: np.dtype) -> None:
    batch, x, ctype = Batch(), _source(dtype, 5), CTYPE[dtype]
    total = (np.arange(ROWS) + 2).astype(dtype)
    top = (np.arange(ROWS) / 4 + 1).astype(dtype)
    s, tmp = batch.put(x), batch.put(np.zeros(8192, np.uint8))
    sums, maxima = batch.put(_block_of(total, dtype)), batch.put(_block_of(top, dtype))
    results = []
    for given in (f"{tmp}, ", ""):
        d = batch.out(np.zeros_like(x))
        call = f"SimpleSoftMax<{ctype}>({d}, {sums}, {maxima}, {s}, {given}tiling, {_SHAPE});"
        batch.do(_tiling(dtype), call)
        results.append(d)
    got = batch.run()
    a = x.astype(np.float64)
    want = np.exp(a - top.astype(np.float64)[:, None]) / total.astype(np.float64)[:, None]
    for d in results:
        _near(got[d], want, f"SimpleSoftMax {dtype}")


@api("SimpleSoftMax")
def test_half_rows_with_given_float_sums() -> None:
    batch, x = Batch(), _source(HALF, 6)
    total, top = (np.arange(ROWS) + 2).astype(FLOAT), (np.arange(ROWS) / 4 + 1).astype(FLOAT)
    s, tmp, d = batch.put(x), batch.put(np.zeros(8192, np.uint8)), batch.out(np.zeros_like(x))
    sums, maxima = batch.put(_block_of(total, FLOAT)), batch.put(_block_of(top, FLOAT))
    batch.do(_tiling(FLOAT), f"SimpleSoftMax<half>({d}, {sums}, {maxima}, {s}, {tmp}, tiling, {_SHAPE});")
    _near(batch.run()[d], np.exp(x.astype(np.float64) - top[:, None]) / total[:, None], "values")


@api("LogSoftMax")
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_logarithms_of_the_softmax(dtype: np.dtype) -> None:
    batch, x = Batch(), _source(dtype, 7)
    s, tmp, d = batch.put(x), batch.put(np.zeros(16384, np.uint8)), batch.out(np.zeros_like(x))
    sums, maxima = _blocks(batch, dtype), _blocks(batch, dtype)
    batch.do(
        _tiling(dtype, kind="LogSoftMaxTiling"),
        f"LogSoftMax<{CTYPE[dtype]}>({d}, {sums}, {maxima}, {s}, {tmp}, tiling, {_SHAPE});",
    )
    got = batch.run()
    want, total, top = _softmax(x)
    _near(got[d], np.log10(want), f"values {dtype}")
    _near(got[sums], _block_of(total, dtype), f"sums {dtype}")
    _near(got[maxima], _block_of(top, dtype), f"maxima {dtype}")


@api("SoftmaxFlash")
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_running_softmax_divides_at_every_step(dtype: np.dtype) -> None:
    batch, ctype = Batch(), CTYPE[dtype]
    x, y = _source(dtype, 8), _source(dtype, 9, -3, 5)
    s, t, tmp = batch.put(x), batch.put(y), batch.put(np.zeros(16384, np.uint8))
    first = [batch.out(np.zeros_like(x)), *(_blocks(batch, dtype) for _ in range(3))]
    second = [batch.out(np.zeros_like(x)), *(_blocks(batch, dtype) for _ in range(3))]
    for update, source, (d, total, top, scale) in (("false", s, first), ("true", t, second)):
        batch.do(
            _tiling(dtype),
            f"SoftmaxFlash<{ctype}>({d}, {total}, {top}, {source}, {scale}, {first[1]}, {first[2]},",
            f"    {tmp}, tiling, {update}, {_SHAPE});",
        )
    got = batch.run()
    want, total, top = _softmax(x)
    _near(got[first[0]], want, "values")
    _near(got[first[1]], _block_of(total, dtype), "sums")
    _near(got[first[2]], _block_of(top, dtype), "maxima")
    b = y.astype(np.float64)
    new = np.maximum(top, b.max(axis=1, keepdims=True))
    decayed = np.exp(top - new) * total
    both = decayed + np.exp(b - new).sum(axis=1, keepdims=True)
    _near(got[second[0]], np.exp(b - new) / both, "updated values")
    _near(got[second[1]], _block_of(both, dtype), "updated sums")
    _near(got[second[2]], _block_of(new, dtype), "updated maxima")
    _near(got[second[3]], _block_of(decayed / both, dtype), "decay")


_WIDE = 512


def _even_rows(seed: int) -> Array:
    """Rows [ROWS, 512] whose every eighth, however it is cut (by 64 or 8 neighbours, or by columns), has one mean."""
    rng = np.random.default_rng(seed)
    a, b, c = np.ogrid[:8, :8, :8]
    patterns = rng.integers(-4, 5, (ROWS, 8)) / 4
    return np.stack([p[(a + b + c) % 8].ravel() for p in patterns]).astype(HALF)


@api("SoftmaxFlashV3")
def test_running_softmax_shifted_by_means() -> None:
    batch, alpha = Batch(), 0.9375
    x, y = _even_rows(10), _even_rows(11)
    s, t, tmp = batch.put(x), batch.put(y), batch.put(np.zeros(49152, np.uint8))
    outs = [
        (batch.out(np.zeros_like(x)), *(_blocks(batch, FLOAT) for _ in range(3)), _blocks(batch, HALF))
        for _ in range(2)
    ]
    for count, update, source, (d, mean, total, top, scale) in ((1, "false", s, outs[0]), (2, "true", t, outs[1])):
        batch.do(
            _tiling(FLOAT, columns=_WIDE),
            f"SoftMaxParams params; params.srcM = {ROWS}; params.srcK = {_WIDE}; params.oriSrcM = {ROWS};",
            f"params.oriSrcK = {_WIDE}; params.loopCnt = {count}; params.splitMeanCnt = 8; params.alpha = {alpha}f;",
            f"SoftmaxFlashV3<half, float, {update}>({d}, {mean}, {total}, {top}, {source}, {scale},",
            f"    {outs[0][1]}, {outs[0][2]}, {outs[0][3]}, {tmp}, tiling, params);",
        )
    got = batch.run()
    factor = alpha / (1 - alpha)
    a, b = x.astype(np.float64), y.astype(np.float64)
    old_mean, old_top = a.mean(axis=1, keepdims=True), a.max(axis=1, keepdims=True)
    e = np.exp(a - old_top)
    old_total = e.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(got[outs[0][0]], e, rtol=1e-2, atol=1e-3)
    np.testing.assert_allclose(got[outs[0][1]], _block_of(old_mean, FLOAT), atol=2e-3)
    np.testing.assert_allclose(got[outs[0][2]], _block_of(old_total, FLOAT), rtol=1e-2)
    np.testing.assert_allclose(got[outs[0][3]], _block_of(old_top, FLOAT), atol=2e-3)
    mean = (b.mean(axis=1, keepdims=True) + old_mean) / 2
    here, before = (b.mean(axis=1, keepdims=True) - mean) * factor, (old_mean - mean) * factor
    top = np.maximum(here + b.max(axis=1, keepdims=True), before + old_top)
    decay = np.exp(before + old_top - top)
    f = np.exp(b - (top - here))
    np.testing.assert_allclose(got[outs[1][0]], f, rtol=2e-2, atol=1e-3)
    np.testing.assert_allclose(got[outs[1][1]], _block_of(mean, FLOAT), atol=2e-3)
    total = decay * old_total + f.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(got[outs[1][2]], _block_of(total, FLOAT), rtol=2e-2)
    np.testing.assert_allclose(got[outs[1][3]], _block_of(top, FLOAT), atol=2e-2)
    np.testing.assert_allclose(got[outs[1][4]], _block_of(decay, HALF), rtol=2e-2, atol=1e-3)


@api("SoftmaxGrad", "SoftmaxGradFront")
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_gradient_of_the_softmax(dtype: np.dtype) -> None:
    batch, ctype = Batch(), CTYPE[dtype]
    x, g = _softmax(_source(dtype, 12))[0].astype(dtype), _source(dtype, 13, -2, 2)
    s, t, tmp = batch.put(x), batch.put(g), batch.put(np.zeros(16384, np.uint8))
    a, b = x.astype(np.float64), g.astype(np.float64)
    dots = (a * b).sum(axis=1, keepdims=True)
    expected = {}
    for given in (f"{tmp}, ", ""):
        d, front, first = batch.out(np.zeros_like(x)), _blocks(batch, dtype), _blocks(batch, dtype)
        batch.do(_tiling(dtype), f"SoftmaxGrad<{ctype}>({d}, {t}, {s}, {given}tiling, false, {_SHAPE});")
        batch.do(_tiling(dtype), f"SoftmaxGrad<{ctype}>({front}, {t}, {s}, {given}tiling, true, {_SHAPE});")
        batch.do(_tiling(dtype), f"SoftmaxGradFront<{ctype}>({first}, {t}, {s}, {given}tiling, {_SHAPE});")
        expected |= {d: (b - dots) * a, front: _block_of(dots, dtype), first: _block_of(dots, dtype)}
    got = batch.run()
    bound = {HALF: 4e-3, FLOAT: 1e-5}[dtype]
    for name, want in expected.items():
        np.testing.assert_allclose(got[name].astype(np.float64), want, rtol=bound, atol=bound, err_msg=name)


@api("AdjustSoftMaxRes")
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_rows_without_a_real_maximum_are_replaced(dtype: np.dtype) -> None:
    batch, ctype = Batch(), CTYPE[dtype]
    result = _source(dtype, 14, 0, 1)
    top = np.full(ROWS, 1.5, FLOAT)
    bits = 0xFF7FFFFF
    top[[2, 5]] = np.array([bits], np.uint32).view(np.float32)
    maxima, flags = batch.put(_block_of(top, FLOAT)), batch.out(np.zeros(8, np.int32))
    d, e = batch.out(result), batch.out(result)
    call = f"AdjustSoftMaxRes<{ctype}, float>(%s, {maxima}, 0x%x, static_cast<{ctype}>(0.25f), {_SHAPE})"
    batch.do(f"{flags}.SetValue(0, static_cast<int32_t>({call % (d, bits)}));")
    batch.do(f"{flags}.SetValue(1, static_cast<int32_t>({call % (e, 0x41000000)}));")
    got = batch.run()
    want = result.copy()
    want[[2, 5]] = 0.25
    assert_same(got[d], want)
    assert_same(got[e], result)
    assert got[flags][:2].tolist() == [1, 0]
