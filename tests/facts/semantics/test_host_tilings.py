"""Library functions of the kernel with tilings that the host's functions make (ascendc_api.csv: `host tiling`)."""

from __future__ import annotations

import numpy as np
import pytest

from . import host
from .batch import Batch
from .marks import api

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
