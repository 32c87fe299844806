"""The softmax family against NumPy, row values in blocks included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.toolchains.simulator import SimulatorToolchain
from tests.simulator.ops.harness import run

M, K = 6, 80
SHAPE = f"    SoftMaxTiling t; SoftMaxShapeInfo m{{{M}, {K}, {M}, {K}}};\n"


def rows(dtype: str = "float32", seed: int = 1) -> NDArray[Any]:
    return np.random.default_rng(seed).uniform(-4, 4, (M, K)).astype(dtype)


def close(got: NDArray[Any], expected: NDArray[Any]) -> bool:
    limit = 2.0**-13 if got.dtype == np.float32 else 2.0**-9
    return bool(np.allclose(got.astype(np.float64), expected, rtol=limit, atol=1e-6))


def soft(x: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    d = x.astype(np.float64)
    top = d.max(1, keepdims=True)
    e = np.exp(d - top)
    total = e.sum(1, keepdims=True)
    return e / total, total, top


@pytest.mark.parametrize(("data", "values"), [("float32", "float32"), ("float16", "float16"), ("float16", "float32")])
def test_softmax_keeps_sum_and_maximum_of_each_row_in_a_block(
    toolchain: SimulatorToolchain, data: str, values: str
) -> None:
    x = rows(data)
    block = 32 // np.dtype(values).itemsize
    kind = {"float32": "float", "float16": "half"}[data]
    body = SHAPE + f"    SoftMax<{kind}>(y, s, q, x, t, m);\n    SoftMax<{kind}>(alone, x, t, m);"
    outputs = {"y": ((M, K), data), "alone": ((M, K), data), "s": ((M, block), values), "q": ((M, block), values)}
    done = run(body, {"x": x}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    y, total, top = soft(x)
    assert close(done.outputs["y"], y) and np.array_equal(done.outputs["alone"], done.outputs["y"])
    assert close(done.outputs["s"], np.broadcast_to(total, (M, block)))
    assert np.array_equal(done.outputs["q"], np.broadcast_to(top, (M, block)))


def test_simple_and_log_softmax(toolchain: SimulatorToolchain) -> None:
    x = rows()
    body = SHAPE + (
        "    LogSoftMaxTiling* none = nullptr; LocalTensor<uint8_t> work = workBuffer.Get<uint8_t>();\n"
        "    SoftMax<float>(y, s, q, x, t, m); SimpleSoftMax<float>(again, s, q, x, t, m);\n"
        "    LogSoftMax<float>(log, s, q, x, work, *none, m);"
    )
    outputs = {n: ((M, K), "float32") for n in ("y", "again", "log")}
    values = {n: ((M, 8), "float32") for n in ("s", "q")}
    done = run(body, {"x": x}, {**outputs, **values}, scratch=4096, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    assert close(done.outputs["again"], soft(x)[0]) and close(done.outputs["log"], np.log10(soft(x)[0]))


@pytest.mark.parametrize(("data", "values"), [("float32", "float32"), ("float16", "float32")])
def test_flash_steps_carry_maximum_and_sum(toolchain: SimulatorToolchain, data: str, values: str) -> None:
    a, b = rows(data, 1), rows(data, 2)
    kind = {"float32": "float", "float16": "half"}[data]
    body = (
        SHAPE
        + f"""
    SoftmaxFlashV2<{kind}, false>(ya, s, q, a, e, s, q, t, m);
    SoftmaxFlashV2<{kind}, true>(yb, s, q, b, e, s, q, t, m);
    SoftmaxFlash<{kind}>(za, s1, q1, a, f, s1, q1, t, false, m);
    SoftmaxFlash<{kind}>(zb, s1, q1, b, f, s1, q1, t, true, m);"""
    )
    block = 32 // np.dtype(data).itemsize
    outputs = {n: ((M, K), data) for n in ("ya", "yb", "za", "zb")}
    outputs |= {n: ((M, 8), values) for n in ("s", "q", "s1", "q1")} | {n: ((M, block), data) for n in ("e", "f")}
    done = run(body, {"a": a, "b": b}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    _, sum_a, max_a = soft(a)
    d = b.astype(np.float64)
    top = np.maximum(max_a, d.max(1, keepdims=True))
    y = np.exp(d - top)
    correction = np.exp(max_a - top)
    total = correction * sum_a + y.sum(1, keepdims=True)
    assert close(done.outputs["ya"], np.exp(a.astype(np.float64) - max_a)) and close(done.outputs["yb"], y)
    assert close(done.outputs["e"], np.broadcast_to(correction, (M, block)))
    for name in ("s", "s1"):
        assert close(done.outputs[name], np.broadcast_to(total, (M, 8))), name
    assert close(done.outputs["za"], soft(a)[0]) and close(done.outputs["zb"], y / total)
    assert close(done.outputs["f"], np.broadcast_to(correction * sum_a / total, (M, block)))


def test_softmax_gradient_and_its_row_sum(toolchain: SimulatorToolchain) -> None:
    g, y = rows(seed=3), soft(rows())[0].astype(np.float32)
    body = (
        SHAPE
        + """
    SoftmaxGrad<float>(z, g, y, t, false, m); SoftmaxGrad<float>(front, g, y, t, true, m);
    SoftmaxGradFront<float>(old, g, y, t, m);"""
    )
    outputs = {"z": ((M, K), "float32"), "front": ((M, 8), "float32"), "old": ((M, 8), "float32")}
    done = run(body, {"g": g, "y": y}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    total = (g.astype(np.float64) * y).sum(1, keepdims=True)
    assert np.allclose(done.outputs["z"], (g - total) * y, rtol=1e-4, atol=1e-6)
    for name in ("front", "old"):
        assert np.allclose(done.outputs[name], np.broadcast_to(total, (M, 8)), rtol=1e-4, atol=1e-6)


def test_without_a_shape_the_tiling_gives_it(toolchain: SimulatorToolchain) -> None:
    x = rows()
    body = f"    SoftMaxTiling t; t.srcM = {M}; t.srcK = {K}; SoftMax<float>(y, x, t);"
    done = run(body, {"x": x}, {"y": ((M, K), "float32")}, toolchain=toolchain)
    assert not done.codes and close(done.outputs["y"], soft(x)[0])


def nz(x: NDArray[Any]) -> NDArray[Any]:
    """Rows as columns of blocks 16 elements wide."""
    return np.ascontiguousarray(x.reshape(x.shape[0], -1, 16).transpose(1, 0, 2))


@pytest.mark.parametrize("data", ["float32", "float16"])
def test_columns_of_blocks_give_the_same_rows(toolchain: SimulatorToolchain, data: str) -> None:
    x = np.random.default_rng(4).uniform(-4, 4, (16, 48)).astype(data)
    kind, block = {"float32": "float", "float16": "half"}[data], 32 // x.itemsize
    body = f"""    SoftMaxTiling t; SoftMaxShapeInfo m{{16, 48, 16, 48}};
    SoftMax<{kind}, false, false, true>(y, s, q, x, t, m);
    SoftmaxGrad<{kind}, false, true>(g, x, y, t, false, m);"""
    outputs = {n: ((3, 16, 16), data) for n in ("y", "g")} | {n: ((16, block), data) for n in ("s", "q")}
    done = run(body, {"x": nz(x)}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    y, total, top = soft(x)
    assert close(done.outputs["y"], nz(y)) and close(done.outputs["s"], np.broadcast_to(total, (16, block)))
    assert np.array_equal(done.outputs["q"], np.broadcast_to(top, (16, block)).astype(data))
    d = x.astype(np.float64)
    gradient = (d - (d * y).sum(1, keepdims=True)) * y
    assert np.allclose(done.outputs["g"], nz(gradient), rtol=1e-2 if data == "float16" else 1e-4, atol=2e-3)


def test_a_step_may_hand_out_its_own_maximum(toolchain: SimulatorToolchain) -> None:
    a, b = rows(seed=1), rows(seed=2)
    body = (
        SHAPE
        + """    SoftmaxFlashV2<float, false>(y, r, s, q, a, e, s, q, t, m);
    SoftmaxFlashV2<float, true>(z, r, s, q, b, e, s, q, t, m);"""
    )
    outputs = {n: ((M, K), "float32") for n in "yz"} | {n: ((M, 8), "float32") for n in "rsqe"}
    done = run(body, {"a": a, "b": b}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["r"], np.broadcast_to(b.max(1, keepdims=True), (M, 8)))
    assert np.array_equal(done.outputs["q"], np.broadcast_to(np.maximum(a, b).max(1, keepdims=True), (M, 8)))


def shifted(x: NDArray[Any], alpha: float, pieces: int) -> tuple[NDArray[Any], NDArray[Any]]:
    d = x.astype(np.float64)
    mean = d.mean(1, keepdims=True)
    parts = d.reshape(len(d), pieces, -1)
    distance = mean[:, :, None] - parts.mean(2, keepdims=True)
    return (parts - distance * alpha / (1 - alpha)).reshape(d.shape), mean


def test_flash_v3_carries_the_mean_too(toolchain: SimulatorToolchain) -> None:
    m, n, alpha, pieces = 8, 512, 0.75, 8
    a, b = (np.random.default_rng(i).uniform(-1, 1, (m, n)).astype(np.float16) for i in (1, 2))
    one = f"SoftMaxParams p{{{m}, {n}, {m}, {n}, "
    body = f"""    SoftMaxTiling t;
    {{ {one}1, {pieces}, {alpha}f}}; SoftmaxFlashV3<half, float, false>(ya, c, s, q, a, e, c, s, q, t, p); }}
    {{ {one}2, {pieces}, {alpha}f}}; SoftmaxFlashV3<half, float, true>(yb, c, s, q, b, e, c, s, q, t, p); }}"""
    outputs = {k: ((m, n), "float16") for k in ("ya", "yb")} | {k: ((m, 8), "float32") for k in "csq"}
    done = run(body, {"a": a, "b": b}, outputs | {"e": ((m, 16), "float16")}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    scale = alpha / (1 - alpha)
    xa, mean_a = shifted(a, alpha, pieces)
    xb, mean_b = shifted(b, alpha, pieces)
    top_a = xa.max(1, keepdims=True)
    sum_a = np.exp(xa - top_a).sum(1, keepdims=True)
    assert close(done.outputs["ya"], np.exp(xa - top_a))
    mean = (mean_a + mean_b) / 2
    now, before = (mean_b - mean) * scale, (mean_a - mean) * scale
    top = np.maximum(now + xb.max(1, keepdims=True), before + top_a)
    factor = np.exp(top_a - top + before)
    y = np.exp(xb + now - top)
    assert close(done.outputs["yb"], y) and close(done.outputs["e"], np.broadcast_to(factor, (m, 16)))
    for name, value in {"c": mean, "q": top, "s": factor * sum_a + y.sum(1, keepdims=True)}.items():
        assert np.allclose(done.outputs[name], np.broadcast_to(value, (m, 8)), rtol=1e-4, atol=1e-5), name


@pytest.mark.parametrize("step", [0, 1])
def test_rows_of_a_named_maximum_are_replaced(toolchain: SimulatorToolchain, step: int) -> None:
    x = rows()
    top = np.array([1, -7, 2, -7, 3, 4] + [0] * 2, np.float32)
    given = top if step else np.repeat(top[:M], 8)
    body = (
        SHAPE
        + f"    DataCopy(y, x, {M * K});\n"
        + f"    bool any = AdjustSoftMaxRes<float, float, false, {step}>(y, q, 0xC0E00000, 0.5f, m);\n"
        + "    Duplicate(z, any ? 1.0f : 0.0f, 8);"
    )
    outputs = {"y": ((M, K), "float32"), "z": ((8,), "float32")}
    done = run(body, {"x": x, "q": given}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    expected = x.copy()
    expected[[1, 3]] = 0.5
    assert np.array_equal(done.outputs["y"], expected) and (done.outputs["z"] == 1).all()
