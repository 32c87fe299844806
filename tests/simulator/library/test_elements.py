"""Elementwise library functions against NumPy formulas."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.testing.simulate import Simulation
from agentkernel.toolchains.simulator import SimulatorToolchain
from tests.simulator.ops.harness import run

Array = NDArray[Any]
N = 200
"""No whole repeat, so that tails count."""


def spread(dtype: str, low: float, high: float) -> Array:
    return np.random.default_rng(1).permutation(np.linspace(low, high, N)).astype(dtype)


def check(done: Simulation, name: str, expected: Array) -> None:
    got = done.outputs[name].astype(np.float64)
    # the standard of the judge: 2^-13 for float, 2^-10 for half
    limit = 2.0**-13 if done.outputs[name].dtype == np.float32 else 2.0**-10
    assert np.allclose(got, expected, rtol=limit, atol=limit * 1e-2), (name, np.abs(got - expected).max())


UNARY: dict[str, tuple[Callable[[Array], Array], float, float]] = {
    "Tanh": (np.tanh, -12, 12),
    "Sigmoid": (lambda x: 1 / (1 + np.exp(-x)), -8, 8),
    "Silu": (lambda x: x / (1 + np.exp(-x)), -8, 8),
    "FasterGelu": (lambda x: x / (1 + np.exp(-1.702 * x)), -4, 4),
    "Gelu": (lambda x: x / (1 + np.exp(-1.5957691216057308 * (x + 0.044715 * x**3))), -4, 4),
    "Log": (np.log, 0.1, 50),
    "Log2": (np.log2, 0.1, 50),
    "Log10": (np.log10, 0.1, 50),
    "Sin": (np.sin, -20, 20),
    "Cos": (np.cos, -20, 20),
    "Tan": (np.tan, -1.4, 1.4),
    "Sinh": (np.sinh, -5, 5),
    "Cosh": (np.cosh, -5, 5),
    "Asin": (np.arcsin, -1, 1),
    "Acos": (np.arccos, -1, 1),
    "Atan": (np.arctan, -9, 9),
    "Asinh": (np.arcsinh, -9, 9),
    "Acosh": (np.arccosh, 1, 50),
    "Atanh": (np.arctanh, -0.98, 0.98),
    "Erf": (np.vectorize(math.erf), -5, 5),
    "Erfc": (np.vectorize(math.erfc), -3, 3),
    "Lgamma": (np.vectorize(math.lgamma), 0.1, 30),
}


def test_functions_of_one_source_in_float(toolchain: SimulatorToolchain) -> None:
    names = list(UNARY)
    sources = {f"x{i}": spread("float32", *UNARY[n][1:]) for i, n in enumerate(names)}
    body = "\n".join(f"    {n}(z{i}, x{i}, {N});" for i, n in enumerate(names))
    done = run(body, sources, {f"z{i}": ((N,), "float32") for i in range(len(names))}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    for i, name in enumerate(names):
        check(done, f"z{i}", UNARY[name][0](sources[f"x{i}"].astype(np.float64)))


def test_digamma_is_the_slope_of_lgamma(toolchain: SimulatorToolchain) -> None:
    x = np.linspace(0.2, 12, N).astype(np.float32)
    x[:4] = [-0.5, -1.75, 1, 25]
    done = run(f"    Digamma(z, x, {N});", {"x": x}, {"z": ((N,), "float32")}, toolchain=toolchain)
    step = 1e-5
    lgamma = np.vectorize(math.lgamma)
    d = x.astype(np.float64)
    slope = (lgamma(d + step) - lgamma(d - step)) / (2 * step)
    assert not done.codes and np.allclose(done.outputs["z"], slope, rtol=1e-4, atol=1e-5)


def test_half_is_widened_where_the_library_does_so(toolchain: SimulatorToolchain) -> None:
    names = ["Tanh", "Sin", "Erf", "Log2", "Atan"]
    sources = {f"x{i}": spread("float16", *UNARY[n][1:]) for i, n in enumerate(names)}
    body = "\n".join(f"    {n}(z{i}, x{i}, work, {N});" for i, n in enumerate(names))
    setup = "    LocalTensor<uint8_t> work = workBuffer.Get<uint8_t>();\n"
    outputs = {f"z{i}": ((N,), "float16") for i in range(len(names))}
    done = run(setup + body, sources, outputs, scratch=2048, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    for i, name in enumerate(names):
        check(done, f"z{i}", UNARY[name][0](sources[f"x{i}"].astype(np.float64)))


def test_gelu_in_half_rounds_every_step_unless_high_precision_is_asked_for(toolchain: SimulatorToolchain) -> None:
    x = spread("float16", -4, 4)
    h = np.float16
    cube = (((x * x).astype(h) * x).astype(h) * h(0.044715)).astype(h)
    e = np.exp((((x + cube).astype(h)) * h(-1.5957691216057308)).astype(h).astype(np.float32)).astype(h)
    steps = (x.astype(np.float32) / (e + h(1)).astype(h).astype(np.float32)).astype(h)
    wide = UNARY["Gelu"][0](x.astype(np.float64)).astype(h)
    body = f"    Gelu(steps, x, {N});\n    Gelu<half, true>(wide, x, {N});"
    outputs = {"steps": ((N,), "float16"), "wide": ((N,), "float16")}
    done = run(body, {"x": x}, outputs, toolchain=toolchain)
    assert np.array_equal(done.outputs["steps"], steps)
    assert np.abs(done.outputs["wide"].view(np.int16).astype(int) - wide.view(np.int16)).max() <= 1


def test_faster_gelu_v2_is_its_polynomial(toolchain: SimulatorToolchain) -> None:
    x = spread("float32", -4, 4)
    d = x.astype(np.float64)
    poly = -0.1444 * (np.minimum(np.abs(0.7071 * d), 1.769) - 1.769) ** 2 + 0.5
    done = run(f"    FasterGeluV2(z, x, {N});", {"x": x}, {"z": ((N,), "float32")}, toolchain=toolchain)
    check(done, "z", d * (np.sign(d) * poly + 0.5))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_rounding_functions_are_exact(toolchain: SimulatorToolchain, dtype: str) -> None:
    x = spread(dtype, -3, 3)
    x[:8] = [0.5, -0.5, 1.5, 2.5, -2.5, -0.0, 2.0, -1.0]
    exact = {"Floor": np.floor, "Ceil": np.ceil, "Round": np.rint, "Trunc": np.trunc, "Sign": np.sign}
    body = "\n".join(f"    {n}(z{n}, x, {N});" for n in exact) + f"\n    Frac(zFrac, x, {N});"
    outputs = {f"z{n}": ((N,), dtype) for n in (*exact, "Frac")}
    done = run(body, {"x": x}, outputs, toolchain=toolchain)
    assert not done.codes
    for name, function in exact.items():
        assert np.array_equal(done.outputs[f"z{name}"], function(x)), name
    assert np.array_equal(done.outputs["zFrac"], x - np.trunc(x))


def test_functions_with_a_scalar(toolchain: SimulatorToolchain) -> None:
    x = spread("float32", -4, 4)
    h = x.astype(np.float16)
    a = np.linspace(0, 1, N).astype(np.float32)
    body = f"""
    Swish(swish, x, {N}, 1.5f);
    ClampMax(top, x, 1.0f, {N});
    ClampMin(bottom, x, -1.0f, {N});
    Exp<float, 12>(e, x, {N});
    Axpy(a2, h, half(2), workBuffer.Get<uint8_t>(), {N});
    Power(squares, x, 2.0f, {N});
    Power(powers, 2.0f, x, {N});"""
    outputs = {n: ((N,), "float32") for n in ("swish", "top", "bottom", "e", "squares", "powers")}
    body = f"    LocalTensor<float> a2 = a;{body}\n    Adds(sum, a2, 0.0f, {N});"
    done = run(body, {"x": x, "h": h, "a": a}, {**outputs, "sum": ((N,), "float32")}, scratch=1024, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    d = x.astype(np.float64)
    check(done, "swish", d / (1 + np.exp(-1.5 * d)))
    assert np.array_equal(done.outputs["top"], np.minimum(x, np.float32(1)))
    assert np.array_equal(done.outputs["bottom"], np.maximum(x, np.float32(-1)))
    check(done, "e", np.exp(d))
    check(done, "sum", a + 2.0 * h)
    check(done, "squares", d * d)
    check(done, "powers", 2.0**d)


def test_functions_of_two_sources(toolchain: SimulatorToolchain) -> None:
    x, y = spread("float32", -9, 9), spread("float32", 1, 4)
    i, j = np.arange(N, dtype=np.int32) % 7 - 3, np.arange(N, dtype=np.int32) % 5
    s, t = np.arange(N, dtype=np.int16) * 31, np.arange(N, dtype=np.int16) * -7
    body = f"""
    float beta = 1.25f;
    Fmod(m, x, y, {N}); Power(p, y, x, {N}); Power(q, i, j, {N}); Xor(w, s, t, {N});
    GeGLU(ge, x, y, {N}); SwiGLU(sw, x, y, beta, {N}); ReGlu(re, y, x, {N});"""
    floats = {n: ((N,), "float32") for n in ("m", "p", "ge", "sw", "re")}
    done = run(
        body, {"x": x, "y": y, "i": i, "j": j, "s": s, "t": t},
        {**floats, "q": ((N,), "int32"), "w": ((N,), "int16")}, toolchain=toolchain,
    )  # fmt: skip
    assert done.completed and not done.codes, done.diagnostics
    a, b = x.astype(np.float64), y.astype(np.float64)
    check(done, "p", b**a)
    check(done, "ge", a * UNARY["Gelu"][0](b))
    check(done, "sw", a * b / (1 + np.exp(-1.25 * b)))
    assert np.array_equal(done.outputs["re"], y * np.maximum(x, 0))
    assert np.array_equal(done.outputs["m"], (x - np.trunc(x / y) * y).astype(np.float32))
    assert np.array_equal(done.outputs["q"], i**j)
    assert np.array_equal(done.outputs["w"], s ^ t)


@pytest.mark.parametrize("dtype", ["int16", "int32", "float16", "float32"])
def test_arange_counts_in_the_element_type(toolchain: SimulatorToolchain, dtype: str) -> None:
    kind = {"int16": "int16_t", "int32": "int32_t", "float16": "half", "float32": "float"}[dtype]
    body = f"    Arange(z, ({kind})3, ({kind})2, {N});\n    ArithProgression(old, ({kind})3, ({kind})2, {N});"
    done = run(body, {"x": np.zeros(8, np.float32)}, {"z": ((N,), dtype), "old": ((N,), dtype)}, toolchain=toolchain)
    assert not done.codes
    assert np.array_equal(done.outputs["z"], (3 + 2 * np.arange(N)).astype(dtype))
    assert np.array_equal(done.outputs["old"], done.outputs["z"])
