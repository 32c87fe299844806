"""Normalisation with tilings of the host (facts: ascendc_api.csv, normalisation rows; semantics, section 22)."""

from __future__ import annotations

import numpy as np
import pytest

from . import host
from .batch import Array, Batch
from .marks import api
from .values import CTYPE, FLOAT, HALF

_EPSILON = 2.0**-10
"""Exact in half, too."""
_B, _S, _H = 2, 4, 64
_BOUND = {HALF: 1e-2, FLOAT: 2e-5}
"""The facts give functions, not errors: these are bounds that a wrong function cannot meet."""
TYPES = pytest.mark.parametrize("dtype", (HALF, FLOAT), ids=str)


def _shape(*axes: int) -> str:
    return f"ge::Shape({{{', '.join(map(str, axes))}}})"


def _near(got: Array, want: Array, context: str, bound: float | None = None) -> None:
    limit = _BOUND[got.dtype] if bound is None else bound
    np.testing.assert_allclose(
        got.astype(np.float64).ravel(), want.ravel(), rtol=limit, atol=limit, err_msg=f"{context} {got.dtype}"
    )


def _values(dtype: np.dtype, shape: tuple[int, ...], seed: int, low: float = -2, high: float = 3) -> Array:
    return np.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


def _rows(batch: Batch, count: int, dtype: np.dtype) -> str:
    """A destination for one value per row."""
    block = 32 // dtype.itemsize
    return batch.out(np.full(-(-count // block) * block, 7, dtype))


def _scratches(batch: Batch, least: int, most: int) -> tuple[str, str]:
    """Text of the scratch argument: a tensor of the least size, and none."""
    assert 0 < least <= most
    return f"{batch.put(np.zeros(least, np.uint8))}, ", ""


def _scalar(dtype: np.dtype, value: float) -> str:
    return f"static_cast<{CTYPE[dtype]}>({value}f)"


@TYPES
@api("LayerNorm", "LayerNorm Tiling")
def test_layer_norm_tells_mean_and_variance(dtype: np.dtype) -> None:
    size, shape = dtype.itemsize, _shape(_B, _S, _H, _H)
    [(most, least)] = host.pairs_of(f"GetLayerNormMaxMinTmpSize({shape}, {size}, false, first, second)")
    fill = f"GetLayerNormNDTilingInfo({shape}, %d, {size}, false, tiling)"
    batch = Batch()
    x, gamma, beta = (_values(dtype, s, i) for i, s in enumerate(((_B, _S, _H), (_H,), (_H,))))
    s, g, b = batch.put(x), batch.put(gamma), batch.put(beta)
    results = []
    for scratch in _scratches(batch, least, most):
        t = batch.tiling("LayerNormTiling", host.tiling_of("LayerNormTiling", fill % least))
        d, mean, variance = batch.out(np.zeros_like(x)), _rows(batch, 8, dtype), _rows(batch, 8, dtype)
        epsilon = _scalar(dtype, _EPSILON)
        batch.do(f"LayerNorm<{CTYPE[dtype]}>({d}, {mean}, {variance}, {s}, {g}, {b}, {scratch}{epsilon}, {t});")
        results.append((d, mean, variance))
    got = batch.run()
    rows = x.astype(np.float64)
    m, v = rows.mean(axis=2, keepdims=True), rows.var(axis=2, keepdims=True)
    want = (rows - m) / np.sqrt(v + _EPSILON) * gamma.astype(np.float64) + beta
    for d, mean, variance in results:
        _near(got[d], want, "values")
        _near(got[mean][:8], m, "mean")
        _near(got[variance][:8], v, "variance")


@api("LayerNorm", "LayerNorm Tiling")
@pytest.mark.parametrize(("dtype", "affine"), [(HALF, HALF), (HALF, FLOAT), (FLOAT, FLOAT)], ids=str)
def test_layer_norm_of_rows_tells_the_reciprocal_deviation(dtype: np.dtype, affine: np.dtype) -> None:
    size, shape, count = dtype.itemsize, _shape(8, _H), 8
    call = f"GetLayerNormMaxMinTmpSize({shape}, {size}, false, true, false, first, second)"
    [(most, least)] = host.pairs_of(call)
    fill = f"GetLayerNormNDTilingInfo({shape}, {least}, {size}, false, true, tiling)"
    batch = Batch()
    x, gamma, beta = _values(dtype, (8, _H), 3), _values(affine, (_H,), 4), _values(affine, (_H,), 5)
    s, g, b = batch.put(x), batch.put(gamma), batch.put(beta)
    results = []
    for scratch in _scratches(batch, least, most):
        t = batch.tiling("LayerNormSeparateTiling", host.tiling_of("LayerNormSeparateTiling", fill))
        d, mean, rstd = batch.out(np.zeros_like(x)), _rows(batch, count, FLOAT), _rows(batch, count, FLOAT)
        batch.do(
            f"LayerNormPara para; para.aLength = {count}; para.rLength = {_H}; para.rLengthWithPadding = {_H};",
            f"LayerNorm<{CTYPE[affine]}, {CTYPE[dtype]}>({d}, {mean}, {rstd}, {s}, {g}, {b}, {_EPSILON}f,",
            f"    {scratch}para, {t});",
        )
        results.append((d, mean, rstd))
    got = batch.run()
    rows = x.astype(np.float64)
    m, r = rows.mean(axis=1, keepdims=True), 1 / np.sqrt(rows.var(axis=1, keepdims=True) + _EPSILON)
    want = (rows - m) * r * gamma.astype(np.float64) + beta.astype(np.float64)
    for d, mean, rstd in results:
        _near(got[d], want, "values")
        _near(got[mean], m, "mean", 1e-4)
        _near(got[rstd], r, "reciprocal deviation", 1e-4)


@TYPES
@api("LayerNormGrad", "LayerNormGrad Tiling", "LayerNormGradBeta", "LayerNormGradBeta Tiling")
def test_gradients_of_layer_norm(dtype: np.dtype) -> None:
    size, shape, ctype = dtype.itemsize, _shape(_B, _S, _H, _H), CTYPE[dtype]
    (most, least), (widest, narrowest) = host.pairs_of(
        f"GetLayerNormGradMaxMinTmpSize({shape}, {size}, false, first, second)",
        f"GetLayerNormGradBetaMaxMinTmpSize({shape}, {size}, false, first, second)",
    )
    x, dy, gamma = (_values(dtype, s, i) for i, s in enumerate(((_B, _S, _H), (_B, _S, _H), (_H,)), start=6))
    rows, up, factor = x.astype(np.float64), dy.astype(np.float64), gamma.astype(np.float64)
    m, v = rows.mean(axis=2).astype(dtype), rows.var(axis=2).astype(dtype)
    batch = Batch()
    s, y, g = batch.put(x), batch.put(dy), batch.put(gamma)
    mean, variance = (batch.put(np.resize(a.ravel(), 16)) for a in (m, v))
    back = host.tiling_of(
        "LayerNormGradTiling", f"GetLayerNormGradNDTilingInfo({shape}, {least}, {size}, false, tiling)"
    )
    beta = host.tiling_of(
        "LayerNormGradBetaTiling", f"GetLayerNormGradBetaNDTilingInfo({shape}, {narrowest}, {size}, false, tiling)"
    )
    results = []
    pairs = zip(_scratches(batch, least, most), _scratches(batch, narrowest, widest), strict=True)
    for first, second in pairs:
        t, u = batch.tiling("LayerNormGradTiling", back), batch.tiling("LayerNormGradBetaTiling", beta)
        d, normal = batch.out(np.zeros_like(x)), batch.out(np.zeros_like(x))
        dg, db = batch.out(np.zeros_like(gamma)), batch.out(np.zeros_like(gamma))
        batch.do(
            f"LayerNormGrad<{ctype}>({d}, {normal}, {y}, {s}, {variance}, {mean}, {g}, {first}",
            f"    {_scalar(dtype, _EPSILON)}, {t}, LayerNormGradShapeInfo{{DataFormat::ND}});",
        )
        batch.do(f"LayerNormGradBeta<{ctype}>({dg}, {db}, {normal}, {y}, {second}{u});")
        results.append((d, normal, dg, db))
    got = batch.run()
    r = 1 / np.sqrt(v.astype(np.float64)[..., None] + _EPSILON)
    unit = (rows - m.astype(np.float64)[..., None]) * r
    inner = up * factor
    want = r * (inner - inner.mean(axis=2, keepdims=True) - unit * (inner * unit).mean(axis=2, keepdims=True))
    bound = {HALF: 3e-2, FLOAT: 1e-4}[dtype]
    for d, normal, dg, db in results:
        _near(got[d], want, "dx", bound)
        _near(got[normal], unit, "(x - mean) / deviation", bound)
        _near(got[dg], (up * unit).sum(axis=(0, 1)), "dgamma", bound)
        _near(got[db], up.sum(axis=(0, 1)), "dbeta", bound)


@TYPES
@pytest.mark.parametrize("basic", (False, True), ids=("any", "basic block"))
@api("DeepNorm", "DeepNorm Tiling")
def test_deep_norm_normalises_a_scaled_sum(dtype: np.dtype, basic: bool) -> None:
    size, shape, flag = dtype.itemsize, _shape(_B, _S, _H), str(basic).lower()
    [(most, least)] = host.pairs_of(f"GetDeepNormMaxMinTmpSize({shape}, {size}, false, {flag}, first, second)")
    fill = f"GetDeepNormTilingInfo({shape}, {shape}, {least}, {size}, false, {flag}, tiling)"
    shapes = ((_B, _S, _H), (_B, _S, _H), (_H,), (_H,))
    x, gx, beta, gamma = (_values(dtype, s, i) for i, s in enumerate(shapes, start=10))
    batch = Batch()
    s, y, b, g = (batch.put(a) for a in (x, gx, beta, gamma))
    results = []
    for scratch in _scratches(batch, least, most):
        t = batch.tiling("DeepNormTiling", host.tiling_of("DeepNormTiling", fill))
        d, mean, rstd = batch.out(np.zeros_like(x)), _rows(batch, 8, dtype), _rows(batch, 8, dtype)
        batch.do(
            f"DeepNorm<{CTYPE[dtype]}, false, {flag}>({d}, {mean}, {rstd}, {s}, {y}, {b}, {g}, {scratch}",
            f"    {_scalar(dtype, 0.5)}, {_scalar(dtype, _EPSILON)}, {t});",
        )
        results.append((d, mean))
    got = batch.run()
    rows = 0.5 * x.astype(np.float64) + gx.astype(np.float64)
    m, r = rows.mean(axis=2, keepdims=True), 1 / np.sqrt(rows.var(axis=2, keepdims=True) + _EPSILON)
    # What the third output (rstdLocal) holds is left open: facts and pages give its name alone.
    for d, mean in results:
        _near(got[d], (rows - m) * r * gamma.astype(np.float64) + beta.astype(np.float64), "values")
        _near(got[mean][:8], m, "mean")


@TYPES
@pytest.mark.parametrize("basic", (False, True), ids=("any", "basic block"))
@api("RmsNorm", "RmsNorm Tiling")
def test_rms_norm_divides_by_the_root_of_the_mean_square(dtype: np.dtype, basic: bool) -> None:
    size, shape, flag = dtype.itemsize, _shape(_B, _S, _H), str(basic).lower()
    [(most, least)] = host.pairs_of(f"GetRmsNormMaxMinTmpSize({shape}, {size}, first, second, {flag})")
    fill = f"GetRmsNormTilingInfo({shape}, {shape}, {least}, {size}, tiling, {flag})"
    x, gamma = _values(dtype, (_B, _S, _H), 14), _values(dtype, (_H,), 15)
    batch = Batch()
    s, g = batch.put(x), batch.put(gamma)
    results = []
    for scratch in _scratches(batch, least, most):
        t = batch.tiling("RmsNormTiling", host.tiling_of("RmsNormTiling", fill))
        d = batch.out(np.zeros_like(x))
        batch.do(f"RmsNorm<{CTYPE[dtype]}, {flag}>({d}, {s}, {g}, {scratch}{_scalar(dtype, _EPSILON)}, {t});")
        results.append(d)
    got = batch.run()
    rows = x.astype(np.float64)
    want = rows / np.sqrt((rows**2).mean(axis=2, keepdims=True) + _EPSILON) * gamma.astype(np.float64)
    for d in results:
        _near(got[d], want, "values")


@TYPES
@pytest.mark.parametrize("basic", (False, True), ids=("any", "basic block"))
@api("BatchNorm", "BatchNorm Tiling")
def test_batch_norm_normalises_over_the_batch(dtype: np.dtype, basic: bool) -> None:
    count, size, flag = 16, dtype.itemsize, str(basic).lower()
    shape = _shape(count, 4, 16)
    call = f"GetBatchNormMaxMinTmpSize({shape}, {shape}, {size}, false, first, second, {flag})"
    [(most, least)] = host.pairs_of(call)
    fill = f"GetBatchNormNDTilingInfo({shape}, {shape}, {least}, {size}, false, tiling, {flag})"
    x, gamma, beta = (_values(dtype, s, i) for i, s in enumerate(((count, 4, 16), (count,), (count,)), start=16))
    batch = Batch()
    s, g, b = (batch.put(a) for a in (x, gamma, beta))
    results = []
    for scratch in _scratches(batch, least, most):
        t = batch.tiling("BatchNormTiling", host.tiling_of("BatchNormTiling", fill))
        d, mean, variance = batch.out(np.zeros_like(x)), _rows(batch, 64, dtype), _rows(batch, 64, dtype)
        batch.do(
            f"BatchNorm<{CTYPE[dtype]}, false, {flag}>({d}, {mean}, {variance}, {s}, {g}, {b}, {scratch}",
            f"    {_scalar(dtype, _EPSILON)}, {t});",
        )
        results.append((d, mean, variance))
    got = batch.run()
    rows = x.astype(np.float64)
    m, v = rows.mean(axis=0), rows.var(axis=0)
    factor, shift = (a.astype(np.float64)[:, None, None] for a in (gamma, beta))
    for d, mean, variance in results:
        _near(got[d], (rows - m) / np.sqrt(v + _EPSILON) * factor + shift, "values")
        _near(got[mean], m, "mean")
        _near(got[variance], v, "variance")


@TYPES
@api("GroupNorm", "GroupNorm Tiling")
def test_group_norm_normalises_channels_in_groups(dtype: np.dtype) -> None:
    n, c, h, w, groups, size = 2, 8, 2, 16, 4, dtype.itemsize
    shape = _shape(n, c, h, w)
    call = f"GetGroupNormMaxMinTmpSize({shape}, {size}, false, {groups}, first, second)"
    [(most, least)] = host.pairs_of(call)
    fill = f"GetGroupNormNDTilingInfo({shape}, {least}, {size}, false, {groups}, tiling)"
    x, gamma, beta = (_values(dtype, s, i) for i, s in enumerate(((n, c, h, w), (c,), (c,)), start=20))
    batch = Batch()
    s, g, b = batch.put(x), batch.put(np.resize(gamma, 16)), batch.put(np.resize(beta, 16))
    results = []
    for scratch in _scratches(batch, least, most):
        t = batch.tiling("GroupNormTiling", host.tiling_of("GroupNormTiling", fill))
        d, mean, variance = (
            batch.out(np.zeros_like(x)),
            _rows(batch, n * groups, dtype),
            _rows(batch, n * groups, dtype),
        )
        batch.do(
            f"GroupNorm<{CTYPE[dtype]}>({d}, {mean}, {variance}, {s}, {g}, {b}, {scratch}",
            f"    {_scalar(dtype, _EPSILON)}, {t});",
        )
        results.append((d, mean, variance))
    got = batch.run()
    rows = x.astype(np.float64).reshape(n, groups, -1)
    m, v = rows.mean(axis=2, keepdims=True), rows.var(axis=2, keepdims=True)
    unit = ((rows - m) / np.sqrt(v + _EPSILON)).reshape(x.shape)
    factor, shift = (a.astype(np.float64)[None, :, None, None] for a in (gamma, beta))
    for d, mean, variance in results:
        _near(got[d], unit * factor + shift, "values")
        _near(got[mean][: n * groups], m, "mean")
        _near(got[variance][: n * groups], v, "variance")
