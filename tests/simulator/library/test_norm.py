"""Normalisations, their gradients and Welford's statistics against NumPy in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.toolchains.simulator import SimulatorToolchain
from tests.simulator.ops.harness import run

M, H, USED = 6, 80, 77
EPS = 1e-3
KIND = {"float32": "float", "float16": "half"}
Array = NDArray[Any]


def random(shape: tuple[int, ...], dtype: str = "float32", seed: int = 1) -> Array:
    return np.random.default_rng(seed).uniform(-3, 3, shape).astype(dtype)


def close(got: Array, expected: Array) -> bool:
    limit = 2.0**-15 if got.dtype == np.float32 else 2.0**-9
    return bool(np.allclose(got.astype(np.float64), expected, rtol=limit, atol=limit))


def moments(x: Array, axis: int = 1) -> tuple[Array, Array]:
    d = x.astype(np.float64)
    return d.mean(axis, keepdims=True), d.var(axis, keepdims=True)


def normal(x: Array, gamma: Array, beta: Array | float, eps: float = EPS) -> Array:
    mean, var = moments(x)
    return (x.astype(np.float64) - mean) / np.sqrt(var + eps) * gamma.astype(np.float64) + beta


SCENE = f"t.bLength = 2; t.sLength = {M // 2}; t.hLength = {H}; t.originalHLength = {{used}};\n"


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("used", [H, USED])
def test_layer_norm_gives_mean_and_variance_of_each_row(toolchain: SimulatorToolchain, dtype: str, used: int) -> None:
    x, g, b = random((M, H), dtype), random((H,), dtype, 2), random((H,), dtype, 3)
    body = f"    LayerNormTiling t; {SCENE.format(used=used)}    LayerNorm(y, m, v, x, g, b, {KIND[dtype]}({EPS}), t);"
    outputs = {"y": ((M, H), dtype), "m": ((M,), dtype), "v": ((M,), dtype)}
    done = run(body, {"x": x, "g": g, "b": b}, outputs, toolchain=toolchain)
    # what lies behind the used elements of a row has no value that could be copied out
    assert done.completed and set(done.codes) <= ({"uninitialised-read"} if used != H else set()), done.diagnostics
    mean, var = moments(x[:, :used])
    assert close(done.outputs["m"], mean[:, 0]) and close(done.outputs["v"], var[:, 0])
    expected = normal(x[:, :used], g[:used], b[:used].astype(np.float64), np.float64(np.dtype(dtype).type(EPS)))
    assert close(done.outputs["y"][:, :used], expected)


def test_layer_norm_may_work_in_place(toolchain: SimulatorToolchain) -> None:
    x, g, b = random((M, H)), random((H,), seed=2), random((H,), seed=3)
    body = f"    LayerNormTiling t; {SCENE.format(used=H)}    LayerNorm(x, m, v, x, g, b, u, {EPS}f, t);\n"
    body += f"    DataCopy(y, x, {M * H});"
    inputs = {"x": x, "g": g, "b": b, "u": np.ones(2 * H * 4, np.uint8)}
    outputs = {"y": ((M, H), "float32"), "m": ((M,), "float32"), "v": ((M,), "float32")}
    done = run(body, inputs, outputs, toolchain=toolchain)
    assert not done.codes and close(done.outputs["y"], normal(x, g, b)), done.diagnostics


@pytest.mark.parametrize(("data", "affine"), [("float32", "float32"), ("float16", "float32"), ("float16", "float16")])
def test_layer_norm_of_rows_gives_mean_and_reciprocal_deviation(
    toolchain: SimulatorToolchain, data: str, affine: str
) -> None:
    x, g, b = random((M, H), data), random((H,), affine, 2), random((H,), affine, 3)
    body = f"""    LayerNormSeparateTiling t; LayerNormPara p{{{M}, {H}, {H}}};
    LayerNorm<{KIND[affine]}, {KIND[data]}>(y, m, r, x, g, b, {EPS}f, p, t);
    static constexpr LayerNormConfig bare{{true, true, true}};
    LayerNorm<{KIND[affine]}, {KIND[data]}, false, bare>(z, none, none, x, g, b, {EPS}f, p, t);"""
    outputs = {"y": ((M, H), data), "z": ((M, H), data), "m": ((M,), "float32"), "r": ((M,), "float32")}
    body = "    LocalTensor<float> none;\n" + body
    done = run(body, {"x": x, "g": g, "b": b}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    mean, var = moments(x)
    assert close(done.outputs["m"], mean[:, 0]) and close(done.outputs["r"], 1 / np.sqrt(var[:, 0] + EPS))
    assert close(done.outputs["y"], normal(x, g, b.astype(np.float64)))
    assert close(done.outputs["z"], normal(x, np.ones(H), 0.0))


def test_normalize_takes_mean_and_variance(toolchain: SimulatorToolchain) -> None:
    x, g, b = random((M, H), "float16"), random((H,), seed=2), random((H,), seed=3)
    mean, var = (a[:, 0].astype(np.float32) for a in moments(x))
    body = f"    NormalizePara p{{{M}, {H}, {H}}}; Normalize<float, half>(y, r, m, v, x, g, b, {EPS}f, p);"
    inputs = {"x": x, "g": g, "b": b, "m": mean, "v": var}
    done = run(body, inputs, {"y": ((M, H), "float16"), "r": ((M,), "float32")}, toolchain=toolchain)
    assert not done.codes and close(done.outputs["r"], 1 / np.sqrt(var.astype(np.float64) + EPS)), done.diagnostics
    assert close(done.outputs["y"], normal(x, g, b.astype(np.float64)))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_rms_norm_and_deep_norm(toolchain: SimulatorToolchain, dtype: str) -> None:
    x, y, g, b = (random(s, dtype, i) for i, s in enumerate(((M, H), (M, H), (H,), (H,))))
    kind = KIND[dtype]
    body = f"""    {{ RmsNormTiling t; {SCENE.format(used=H)}    RmsNorm(r, x, g, {kind}({EPS}), t); }}
    {{ DeepNormTiling t; {SCENE.format(used=H)}    DeepNorm(d, m, v, x, y, b, g, {kind}(0.5), {kind}({EPS}), t); }}"""
    outputs = {"r": ((M, H), dtype), "d": ((M, H), dtype), "m": ((M,), dtype), "v": ((M,), dtype)}
    done = run(body, {"x": x, "y": y, "g": g, "b": b}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    d, eps = x.astype(np.float64), np.float64(np.dtype(dtype).type(EPS))
    assert close(done.outputs["r"], d / np.sqrt((d * d).mean(1, keepdims=True) + eps) * g)
    mixed = 0.5 * d + y
    mean, var = moments(mixed)
    assert close(done.outputs["m"], mean[:, 0]) and close(done.outputs["v"], var[:, 0])
    assert close(done.outputs["d"], normal(mixed, g, b.astype(np.float64), eps))


def test_batch_norm_works_over_the_batches(toolchain: SimulatorToolchain) -> None:
    x, g, b = random((8, 64)), random((8,), seed=2), random((8,), seed=3)
    body = f"""    BatchNormTiling t; t.originalBLength = 8; t.meanVarSize = 64;
    BatchNorm<float, false, true>(y, m, v, x, g, b, {EPS}f, t);"""
    outputs = {"y": ((8, 64), "float32"), "m": ((64,), "float32"), "v": ((64,), "float32")}
    done = run(body, {"x": x, "g": g, "b": b}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    mean, var = moments(x, 0)
    assert close(done.outputs["m"], mean[0]) and close(done.outputs["v"], var[0])
    expected = (x - mean) / np.sqrt(var + EPS) * g[:, None] + b[:, None]
    assert close(done.outputs["y"], expected)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_group_norm_works_over_groups_of_channels(toolchain: SimulatorToolchain, dtype: str) -> None:
    n, c, hw, groups = 2, 6, 16, 3
    x, g, b = random((n, c, hw), dtype), random((c,), dtype, 2), random((c,), dtype, 3)
    body = f"""    GroupNormTiling t; t.n = {n}; t.c = {c}; t.hw = {hw}; t.g = {groups}; t.d = {c // groups};
    GroupNorm(y, m, v, x, g, b, {KIND[dtype]}({EPS}), t);"""
    outputs = {"y": ((n, c, hw), dtype), "m": ((n * groups,), dtype), "v": ((n * groups,), dtype)}
    done = run(body, {"x": x, "g": g, "b": b}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    rows = x.reshape(n * groups, -1)
    mean, var = moments(rows)
    assert close(done.outputs["m"], mean[:, 0]) and close(done.outputs["v"], var[:, 0])
    eps = np.float64(np.dtype(dtype).type(EPS))
    even = normal(rows, np.ones(1), 0.0, eps).reshape(n, c, hw)
    assert close(done.outputs["y"], even * g[:, None].astype(np.float64) + b[:, None])


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_layer_norm_gradients(toolchain: SimulatorToolchain, dtype: str) -> None:
    x, dy, g = random((M, H), dtype), random((M, H), dtype, 2), random((H,), dtype, 3)
    mean, var = (a[:, 0].astype(dtype) for a in moments(x))
    kind = KIND[dtype]
    body = f"""    {{ LayerNormGradTiling t; {SCENE.format(used=H)}
    LayerNormGrad(dx, f, dy, x, v, m, g, {kind}({EPS}), t); }}
    {{ LayerNormGradBetaTiling t; {SCENE.format(used=H)}    LayerNormGradBeta(dg, db, f, dy, t); }}"""
    inputs = {"x": x, "dy": dy, "g": g, "m": mean, "v": var}
    outputs = {"dx": ((M, H), dtype), "f": ((M, H), dtype), "dg": ((H,), dtype), "db": ((H,), dtype)}
    done = run(body, inputs, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    d64 = dy.astype(np.float64)
    rstd = 1 / np.sqrt(var.astype(np.float64)[:, None] + np.float64(np.dtype(dtype).type(EPS)))
    centred = x.astype(np.float64) - mean.astype(np.float64)[:, None]
    hat, d = centred * rstd, d64 * g.astype(np.float64)
    dvar = (-0.5 * d * centred * rstd**3).sum(1, keepdims=True)
    dmean = (-d * rstd).sum(1, keepdims=True) + dvar * (-2 * centred).mean(1, keepdims=True)
    limit = 1e-4 if dtype == "float32" else 2e-2
    assert close(done.outputs["f"], hat)
    assert np.allclose(done.outputs["dx"], d * rstd + dvar * 2 / H * centred + dmean / H, rtol=limit, atol=limit)
    assert np.allclose(done.outputs["dg"], (d64 * hat).sum(0), rtol=limit, atol=limit)
    assert np.allclose(done.outputs["db"], d64.sum(0), rtol=limit, atol=limit)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_welford_takes_pieces_one_by_one(toolchain: SimulatorToolchain, dtype: str) -> None:
    pieces, length = 5, 64
    x = random((pieces, length), dtype)
    steps = "\n".join(
        f"    {{ WelfordUpdateParam p{{1, {length}, {length}, 1.0f / {i + 1}}};"
        f" WelfordUpdate<{KIND[dtype]}, float, false, place>(m, v, m, v, x[{i * length}], p); }}"
        for i in range(pieces)
    )
    body = f"""    static constexpr WelfordUpdateConfig place{{true}};
    Duplicate(m, 0.0f, {length}); Duplicate(v, 0.0f, {length});
{steps}
    WelfordFinalizePara p{{{pieces}, {length}, {pieces}, {length}, 0, 0, 1.0f / {length}, 1.0f / {length * pieces}}};
    WelfordFinalize(mean, var, m, v, p);"""
    outputs = {n: ((length,), "float32") for n in ("m", "v")} | {n: ((1,), "float32") for n in ("mean", "var")}
    done = run(body, {"x": x}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    d = x.astype(np.float64)
    assert close(done.outputs["m"], d.mean(0)) and close(done.outputs["v"], d.var(0) * pieces)
    assert close(done.outputs["mean"], d.mean()) and close(done.outputs["var"], d.var())


@pytest.mark.parametrize("listed", [False, True])
def test_welford_weighs_a_tail(toolchain: SimulatorToolchain, listed: bool) -> None:
    # 3 pieces of 32 and one of 8: the first 8 places saw 4 samples, the others 3
    x = random((3, 32))
    tail = random((8,), seed=9)
    counts = np.array([4] * 8 + [3] * 24, np.int32)
    samples = [np.append(x[:, i], tail[i] if i < 8 else []) for i in range(32)]
    mean = np.array([s.mean() for s in samples], np.float32)
    var = np.array([s.var() * len(s) for s in samples], np.float32)
    everything = np.concatenate(samples).astype(np.float64)
    argument = "counts, " if listed else ""
    body = f"""    WelfordFinalizePara p{{3, 32, 4, 8, 3, 24, 1.0f / 32, 1.0f / 104}};
    WelfordFinalize(a, b, m, v, {argument}p);"""
    inputs = {"m": mean, "v": var, "counts": counts}
    done = run(body, inputs, {"a": ((1,), "float32"), "b": ((1,), "float32")}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    assert close(done.outputs["a"], everything.mean()) and close(done.outputs["b"], everything.var())
