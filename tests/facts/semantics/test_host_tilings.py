"""Library functions of the kernel with tilings that the host's functions make (ascendc_api.csv: `host tiling`)."""

from __future__ import annotations

import numpy as np
import pytest

from . import host
from .batch import Batch
from .marks import api
from .test_library import COUNT, TOLERANCE, TYPES, UNARY
from .values import CTYPE

ROWS, COLUMNS, EPSILON = 8, 64, 1e-5


@pytest.mark.parametrize("plain", [False, True], ids=["class with setters", "plain structure"])
@api("LayerNorm", "LayerNorm Tiling")
def test_layer_norm_by_a_tiling_of_the_host(plain: bool) -> None:
    shape = f"ge::Shape({{2, {ROWS // 2}, {COLUMNS}, {COLUMNS}}})"
    [(most, least)] = host.pairs_of(f"GetLayerNormMaxMinTmpSize({shape}, 4, false, first, second)")
    assert 0 < least <= most
    tiling = host.tiling_of(
        "LayerNormTiling", f"GetLayerNormNDTilingInfo({shape}, {least}, 4, false, tiling)", plain=plain
    )
    rng = np.random.default_rng(11)
    x = rng.normal(size=(ROWS, COLUMNS)).astype(np.float32)
    gamma, beta = (rng.normal(size=COLUMNS).astype(np.float32) for _ in range(2))
    batch = Batch()
    s, g, b = batch.put(x), batch.put(gamma), batch.put(beta)
    out = batch.out(np.zeros_like(x))
    mean, variance = batch.out(np.zeros(ROWS, np.float32)), batch.out(np.zeros(ROWS, np.float32))
    scratch = batch.put(np.zeros(least, np.uint8))
    t = batch.tiling("LayerNormTiling", tiling)
    batch.do(f"LayerNorm({out}, {mean}, {variance}, {s}, {g}, {b}, {scratch}, {EPSILON}f, {t});")
    got = batch.run()
    rows = x.astype(np.float64)
    want_mean, want_variance = rows.mean(1), rows.var(1)
    want = (rows - want_mean[:, None]) / np.sqrt(want_variance + EPSILON)[:, None] * gamma + beta
    np.testing.assert_allclose(got[out], want, atol=1e-5)
    np.testing.assert_allclose(got[mean], want_mean, atol=1e-6)
    np.testing.assert_allclose(got[variance], want_variance, atol=1e-5)


SCRATCH = {
    **{name: f"Get{name}MaxMinTmpSize({{shape}}, {{size}}, false, first, second)" for name in UNARY},
    "Round": "GetRoundMaxMinTmpSize(platform, {shape}, {size}, false, first, second)",
    "Gelu": "GetGeluMaxMinTmpSize({shape}, {size}, first, second)",
    "FasterGelu": "GetGeluMaxMinTmpSize({shape}, {size}, first, second)",
    "FasterGeluV2": "GetGeluMaxMinTmpSize({shape}, {size}, first, second)",
}
FACTORS = {
    name: call.replace("MaxMinTmpSize", "TmpBufferFactorSize").replace("{shape}, ", "").replace("false, ", "")
    for name, call in SCRATCH.items()
}
ONLY_WITHOUT = {"Log", "Log2", "Log10", "Silu"}
"""Functions that take no sharedTmpBuffer, or not in every type."""


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@api(*(UNARY.keys() - ONLY_WITHOUT), "GetTanhMaxMinTmpSize", "GetTanhTmpBufferFactorSize")
def test_the_least_scratch_is_enough(dtype: np.dtype) -> None:
    """The least, the most, and what the factors leave for the elements: all three are legal sharedTmpBuffers."""
    names = sorted(UNARY.keys() - ONLY_WITHOUT)
    blanks = {"shape": f"ge::Shape({{{COUNT}}})", "size": dtype.itemsize}
    ranges = dict(zip(names, host.pairs_of(*(SCRATCH[n].format(**blanks) for n in names)), strict=True))
    with_factors = [n for n in names if n not in {"Sigmoid", "Gelu", "FasterGelu", "FasterGeluV2"}]
    factors = dict(zip(with_factors, host.pairs_of(*(FACTORS[n].format(**blanks) for n in with_factors)), strict=True))
    rng = np.random.default_rng(12)
    for which in ("least", "most", "factor"):
        batch, expected = Batch(), {}
        for name in with_factors if which == "factor" else names:
            most, least = ranges[name]
            assert 0 < least <= most, f"{name}: {least} to {most}"
            count, extra = factors.get(name, (0, 0))
            size = {"least": least, "most": most, "factor": max(256, COUNT * dtype.itemsize * count) + extra}[which]
            function, low, high = UNARY[name]
            x = rng.uniform(low, high, COUNT + 12).astype(dtype)
            s, d, tmp = batch.put(x), batch.out(np.zeros(COUNT + 12, dtype)), batch.put(np.zeros(size, np.uint8))
            batch.do(f"{name}<{CTYPE[dtype]}, false>({d}, {s}, {tmp}, {COUNT});")
            expected[d] = (name, np.array([function(float(v)) for v in x[:COUNT]]))
        got = batch.run()
        for d, (name, want) in expected.items():
            tolerance = TOLERANCE[dtype] * (1 + np.abs(want))
            assert (np.abs(got[d][:COUNT].astype(np.float64) - want) <= tolerance).all(), f"{name} {dtype} {which}"


ROW_SCRATCH = {
    "Sum": "GetSumMaxMinTmpSize(41, 4, false, first, second)",
    "Mean": "GetMeanMaxMinTmpSize(41, 4, 4, false, first, second)",
    "ReduceSum": "GetReduceSumMaxMinTmpSize({matrix}, ge::DT_FLOAT, ReducePattern::AR, true, false, first, second)",
    "ReduceMax": "GetReduceMaxMaxMinTmpSize({matrix}, ge::DT_FLOAT, ReducePattern::RA, true, false, first, second)",
    "CumSum": "GetCumSumMaxMinTmpSize({matrix}, 4, false, false, first, second)",
    "BroadCast": "GetBroadCastMaxMinTmpSize(platform, ge::Shape({{4, 1}}), {matrix}, 4, false, first, second)",
    "AscendQuant": "GetAscendQuantMaxMinTmpSize(ge::Shape({{192}}), 4, first, second)",
    "SelectWithBytesMask": "GetSelectWithBytesMaskMaxMinTmpSize(ge::Shape({{1}}), {matrix}, 4, "
    "ge::Shape({{4, 64}}), 1, false, first, second)",
    "Sort": "first = second = GetSortTmpSize(platform, 192, 4)",
}


@pytest.mark.parametrize("which", ["least", "most"])
@api(*ROW_SCRATCH, "GetSumMaxMinTmpSize", "GetReduceSumMaxMinTmpSize", "GetSortTmpSize")
def test_the_least_scratch_of_a_matrix_is_enough(which: str) -> None:
    """Four rows of 48 floats, of which Sum and Mean take 41."""
    calls = [call.format(matrix="ge::Shape({4, 48})") for call in ROW_SCRATCH.values()]
    sizes = {
        name: least if which == "least" else most
        for name, (most, least) in zip(ROW_SCRATCH, host.pairs_of(*calls), strict=True)
    }
    x = np.random.default_rng(13).normal(size=(4, 48)).astype(np.float32)
    mask = np.zeros((4, 64), np.uint8)
    mask[:, 1:48:3] = 1
    batch = Batch()
    s, m = batch.put(x), batch.put(mask)
    tmp = {name: batch.put(np.zeros(size // 4, np.float32)) for name, size in sizes.items()}
    work = {name: f"LocalTensor<uint8_t> tmp = {t}.ReinterpretCast<uint8_t>();" for name, t in tmp.items()}
    few, row, all_of = np.zeros(8, np.float32), np.zeros(48, np.float32), np.zeros_like(x)
    out = {name: batch.out(few) for name in ("Sum", "Mean", "ReduceSum")}
    out["ReduceMax"] = batch.out(row)
    out |= {name: batch.out(all_of) for name in ("CumSum", "BroadCast", "SelectWithBytesMask")}
    out["AscendQuant"] = batch.out(np.zeros(192, np.int8))
    out["Sort"] = batch.out(np.zeros(384, np.float32))
    column, last = batch.put(x[:, 0].copy()), batch.out(row)
    index = batch.put(np.arange(192, dtype=np.uint32))
    batch.do(work["Sum"], f"Sum({out['Sum']}, {s}, tmp, SumParams{{4, 48, 41}});")
    batch.do(work["Mean"], f"Mean({out['Mean']}, {s}, tmp, MeanParams{{4, 48, 41}});")
    shape = "const uint32_t shape[2] = {4, 48};"
    for name, pattern in (("ReduceSum", "AR"), ("ReduceMax", "RA")):
        call = f"{name}<float, Pattern::Reduce::{pattern}>({out[name]}, {s}, tmp, shape, true);"
        batch.do(work[name], shape, call)
    batch.declarations = "constexpr CumSumConfig DOWN{false, false, false};"
    batch.do(
        work["CumSum"], "CumSumInfo info{4, 48};", f"CumSum<float, DOWN>({out['CumSum']}, {last}, {s}, tmp, info);"
    )
    shapes = "const uint32_t to[2] = {4, 48}; const uint32_t from[2] = {4, 1};"
    batch.do(work["BroadCast"], shapes, f"BroadCast<float, 2, 1>({out['BroadCast']}, {column}, to, from, tmp);")
    batch.do(work["AscendQuant"], f"AscendQuant({out['AscendQuant']}, {s}, tmp, 16.0f, 0.0f, 192);")
    info = "SelectWithBytesMaskShapeInfo info; info.firstAxis = 4; info.srcLastAxis = 48; info.maskLastAxis = 64;"
    select = f"SelectWithBytesMask<float, uint8_t, false>({out['SelectWithBytesMask']}, {s}, -1.0f, {m}, tmp, info);"
    batch.do(work["SelectWithBytesMask"], info, select)
    batch.do(f"Sort<float, true>({out['Sort']}, {s}, {index}, {tmp['Sort']}, 6);")
    got = batch.run()
    wide = x.astype(np.float64)
    np.testing.assert_allclose(got[out["Sum"]][:4], wide[:, :41].sum(1), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(got[out["Mean"]][:4], wide[:, :41].mean(1), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(got[out["ReduceSum"]][:4], wide.sum(1), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(got[out["ReduceMax"]], x.max(0))
    np.testing.assert_allclose(got[out["CumSum"]], wide.cumsum(0), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(got[out["BroadCast"]], np.repeat(x[:, :1], 48, axis=1))
    np.testing.assert_allclose(got[out["AscendQuant"]], 16 * wide.ravel(), atol=0.6)
    np.testing.assert_array_equal(got[out["Sort"]][::2], -np.sort(-x.ravel()))
    chosen = mask[:, :48].astype(bool)
    np.testing.assert_array_equal(got[out["SelectWithBytesMask"]], np.where(chosen, np.float32(-1), x))
