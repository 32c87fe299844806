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
