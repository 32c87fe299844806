"""Means and variances in pieces, and normalisation with them (facts: ascendc_api.csv; semantics, section 22)."""

from __future__ import annotations

import numpy as np
import pytest

from .batch import Array, Batch
from .marks import api
from .values import CTYPE, FLOAT, HALF

_WIDTH = 64
_STEPS = 5


def _pieces(count: int, seed: int) -> Array:
    return np.random.default_rng(seed).uniform(-3, 5, (count, _WIDTH)).astype(FLOAT)


def _partial(pieces: Array) -> tuple[Array, Array]:
    """Mean and sum of squared deviations of every column."""
    wide = pieces.astype(np.float64)
    return wide.mean(axis=0), ((wide - wide.mean(axis=0)) ** 2).sum(axis=0)


def _near(got: Array, want: Array, bound: float, context: str) -> None:
    np.testing.assert_allclose(got.astype(np.float64), want, rtol=bound, atol=bound, err_msg=context)


@api("WelfordUpdate")
@pytest.mark.parametrize("dtype", (HALF, FLOAT), ids=str)
def test_running_means_and_deviations(dtype: np.dtype) -> None:
    batch = Batch()
    pieces = _pieces(_STEPS, 1).astype(dtype)
    tmp = batch.put(np.zeros(8192, np.uint8))
    mean, deviation = batch.put(np.zeros(_WIDTH, FLOAT)), batch.put(np.zeros(_WIDTH, FLOAT))
    results = []
    for i, piece in enumerate(pieces):
        s = batch.put(piece)
        new = batch.out(np.full(_WIDTH, 7, FLOAT)), batch.out(np.full(_WIDTH, 7, FLOAT))
        scratch = f"{tmp}, " if i % 2 else ""
        batch.do(
            f"WelfordUpdateParam para; para.rnLength = 1; para.abLength = {_WIDTH};",
            f"para.abComputeLength = {_WIDTH}; para.nRec = 1.0f / {i + 1};",
            f"WelfordUpdate<{CTYPE[dtype]}, float>({new[0]}, {new[1]}, {mean}, {deviation}, {s}, {scratch}para);",
        )
        mean, deviation = new
        results.append(new)
    got = batch.run()
    for i, new in enumerate(results):
        for name, want, what in zip(new, _partial(pieces[: i + 1]), ("mean", "deviation"), strict=True):
            _near(got[name], want, 1e-4, f"{what} of {i + 1} pieces")


@api("WelfordUpdate")
def test_a_part_of_the_row_is_updated() -> None:
    batch, piece = Batch(), _pieces(1, 2)[0]
    s, tmp = batch.put(piece), batch.put(np.zeros(8192, np.uint8))
    zero, one = batch.put(np.zeros(_WIDTH, FLOAT)), batch.put(np.ones(_WIDTH, FLOAT))
    mean, deviation = batch.out(np.full(_WIDTH, 7, FLOAT)), batch.out(np.full(_WIDTH, 7, FLOAT))
    batch.do(
        f"WelfordUpdateParam para; para.rnLength = 1; para.abLength = {_WIDTH};",
        "para.abComputeLength = 24; para.nRec = 0.5f;",
        f"WelfordUpdate<float, float>({mean}, {deviation}, {zero}, {one}, {s}, {tmp}, para);",
    )
    got = batch.run()
    x = piece[:24].astype(np.float64)
    _near(got[mean][:24], x / 2, 1e-5, "mean")
    _near(got[deviation][:24], 1 + x * (x - x / 2), 1e-5, "deviation")


@api("WelfordFinalize")
def test_columns_become_one_mean_and_variance() -> None:
    batch, pieces = Batch(), _pieces(_STEPS, 3)
    mean, deviation = (batch.put(a.astype(FLOAT)) for a in _partial(pieces))
    tmp = batch.put(np.zeros(8192, np.uint8))
    results = []
    for scratch in (f"{tmp}, ", ""):
        m, v = batch.out(np.zeros(8, FLOAT)), batch.out(np.zeros(8, FLOAT))
        batch.do(
            f"WelfordFinalizePara para; para.rnLength = {_STEPS}; para.abLength = {_WIDTH};",
            f"para.headCount = {_STEPS}; para.headCountLength = {_WIDTH}; para.tailCount = 0;",
            f"para.tailCountLength = 0; para.abRec = 1.0f / {_WIDTH}; para.rRec = 1.0f / {_STEPS * _WIDTH};",
            f"WelfordFinalize({m}, {v}, {mean}, {deviation}, {scratch}para);",
        )
        results.append((m, v))
    got = batch.run()
    for m, v in results:
        _near(got[m][:1], pieces.astype(np.float64).mean(), 1e-5, "mean")
        _near(got[v][:1], pieces.astype(np.float64).var(), 1e-5, "variance")


@api("WelfordFinalize")
def test_columns_of_unequal_counts_become_one_mean_and_variance() -> None:
    batch, pieces = Batch(), _pieces(_STEPS, 4)
    tail = 16
    head = _WIDTH - tail
    long, short = _partial(pieces), _partial(pieces[:-1])
    parts = [np.concatenate([a[:head], b[head:]]).astype(FLOAT) for a, b in zip(long, short, strict=True)]
    values = np.concatenate([pieces[:, :head].ravel(), pieces[:-1, head:].ravel()]).astype(np.float64)
    counts = np.array([_STEPS] * head + [_STEPS - 1] * tail, np.int32)
    mean, deviation, c = batch.put(parts[0]), batch.put(parts[1]), batch.put(counts)
    tmp = batch.put(np.zeros(8192, np.uint8))
    results = []
    for scratch in (f"{tmp}, ", ""):
        m, v = batch.out(np.zeros(8, FLOAT)), batch.out(np.zeros(8, FLOAT))
        batch.do(
            f"WelfordFinalizePara para; para.rnLength = {_STEPS}; para.abLength = {_WIDTH};",
            f"para.headCount = {_STEPS}; para.headCountLength = {head}; para.tailCount = {_STEPS - 1};",
            f"para.tailCountLength = {tail}; para.abRec = 1.0f / {_WIDTH}; para.rRec = 1.0f / {values.size};",
            f"WelfordFinalize({m}, {v}, {mean}, {deviation}, {c}, {scratch}para);",
        )
        results.append((m, v))
    got = batch.run()
    for m, v in results:
        _near(got[m][:1], values.mean(), 1e-5, "mean")
        _near(got[v][:1], values.var(), 1e-5, "variance")


@api("Normalize")
@pytest.mark.parametrize(("dtype", "affine"), [(HALF, HALF), (HALF, FLOAT), (FLOAT, FLOAT)], ids=str)
def test_rows_are_normalised_with_given_moments(dtype: np.dtype, affine: np.dtype) -> None:
    batch, rng = Batch(), np.random.default_rng(5)
    rows, epsilon = 4, 0.0625
    x = rng.uniform(-2, 4, (rows, _WIDTH)).astype(dtype)
    moments = np.zeros((2, 8), FLOAT)
    moments[0, :rows], moments[1, :rows] = rng.uniform(-1, 1, rows), rng.uniform(0.5, 2, rows)
    gamma, beta = rng.uniform(-2, 2, _WIDTH).astype(affine), rng.uniform(-2, 2, _WIDTH).astype(affine)
    s, g, b = batch.put(x), batch.put(gamma), batch.put(beta)
    mean, variance, tmp = batch.put(moments[0]), batch.put(moments[1]), batch.put(np.zeros(16384, np.uint8))
    results = []
    for scratch in (f"{tmp}, ", ""):
        d, rstd = batch.out(np.zeros_like(x)), batch.out(np.zeros(8, FLOAT))
        batch.do(
            f"NormalizePara para; para.aLength = {rows}; para.rLength = {_WIDTH};",
            f"para.rLengthWithPadding = {_WIDTH};",
            f"Normalize<{CTYPE[affine]}, {CTYPE[dtype]}>({d}, {rstd}, {mean}, {variance}, {s}, {g}, {b},",
            f"    {scratch}{epsilon}f, para);",
        )
        results.append((d, rstd))
    got = batch.run()
    want = 1 / np.sqrt(moments[1, :rows].astype(np.float64) + epsilon)
    y = (x.astype(np.float64) - moments[0, :rows, None]) * want[:, None] * gamma.astype(np.float64) + beta
    for d, rstd in results:
        _near(got[rstd][:rows], want, 1e-5, "rstd")
        _near(got[d], y, 8e-3 if dtype == HALF else 1e-5, "values")
