"""Arithmetic, logic and shifts: each instruction against NumPy, bit for bit, corners of the formats included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import run
from .values import corners, first_difference, same, shuffled

N = 1024


def vector_max(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """NaN wins; +0 is above -0."""
    zero = (a == 0) & (b == 0)
    return np.where(zero, np.where(np.signbit(a), b, a), np.maximum(a, b)).astype(a.dtype)


def vector_min(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    zero = (a == 0) & (b == 0)
    return np.where(zero, np.where(np.signbit(a), a, b), np.minimum(a, b)).astype(a.dtype)


def relu(a: NDArray[Any]) -> NDArray[Any]:
    return np.where(np.isnan(a), a, np.where(a > 0, a, np.zeros_like(a))).astype(a.dtype)


def outputs_of(
    toolchain: SimulatorToolchain, calls: dict[str, str], inputs: dict[str, NDArray[Any]], dtype: str, n: int = N
) -> dict[str, NDArray[Any]]:
    """Runs one call per output; each names its output `{out}`."""
    body = "\n".join("    " + call.format(out=name) for name, call in calls.items())
    done = run(body, inputs, {name: ((n,), dtype) for name in calls}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    return done.outputs


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_float_arithmetic_is_rounded_once_per_operation(toolchain: SimulatorToolchain, dtype: str) -> None:
    x = corners(dtype, N, 1)
    y = shuffled(corners(dtype, N, 2), 3)
    calls = {
        name.lower(): f"{name}({{out}}, x, y, {N});"
        for name in ("Add", "Sub", "Mul", "Div", "Max", "Min", "AddRelu", "SubRelu")
    }
    calls |= {
        "abs": f"Abs({{out}}, x, {N});",
        "relu": f"Relu({{out}}, x, {N});",
        "sqrt": f"Sqrt({{out}}, x, {N});",
        "reciprocal": f"Reciprocal({{out}}, x, {N});",
    }
    with np.errstate(all="ignore"):
        got = outputs_of(toolchain, calls, {"x": x, "y": y}, dtype)
        one = x.dtype.type(1)
        expected = {
            "add": x + y,
            "sub": x - y,
            "mul": x * y,
            "div": x / y,
            "max": vector_max(x, y),
            "min": vector_min(x, y),
            "addrelu": relu(x + y),
            "subrelu": relu(x - y),
            "abs": np.abs(x),
            "relu": relu(x),
            "sqrt": np.sqrt(x),
            "reciprocal": one / x,
        }
    for name, value in expected.items():
        assert same(got[name], value), f"{name} {first_difference(got[name], value)}"


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_scalar_operands_are_rounded_to_the_element_type(toolchain: SimulatorToolchain, dtype: str) -> None:
    x = corners(dtype, N, 4)
    kind = DType(dtype).ascendc
    s = x.dtype.type(0.7)
    calls = {
        name.lower(): f"{name}({{out}}, x, ({kind})0.7, {N});" for name in ("Adds", "Muls", "Maxs", "Mins", "LeakyRelu")
    }
    got = outputs_of(toolchain, calls, {"x": x}, dtype)
    with np.errstate(all="ignore"):
        full = np.full_like(x, s)
        expected = {
            "adds": x + s,
            "muls": x * s,
            "maxs": vector_max(x, full),
            "mins": vector_min(x, full),
            "leakyrelu": np.where(x >= 0, x, x * s).astype(x.dtype),
        }
    for name, value in expected.items():
        assert same(got[name], value), f"{name} {first_difference(got[name], value)}"


@pytest.mark.parametrize("dtype", ["int16", "int32"])
def test_integer_arithmetic_wraps(toolchain: SimulatorToolchain, dtype: str) -> None:
    x, y = corners(dtype, N, 5), shuffled(corners(dtype, N, 6), 7)
    kind = DType(dtype).ascendc
    calls = {name.lower(): f"{name}({{out}}, x, y, {N});" for name in ("Add", "Sub", "Mul", "Max", "Min")}
    calls |= {name.lower(): f"{name}({{out}}, x, ({kind})-3, {N});" for name in ("Adds", "Muls", "Maxs", "Mins")}
    got = outputs_of(toolchain, calls, {"x": x, "y": y}, dtype)
    s = x.dtype.type(-3)
    with np.errstate(over="ignore"):
        expected = {
            "add": x + y,
            "sub": x - y,
            "mul": x * y,
            "max": np.maximum(x, y),
            "min": np.minimum(x, y),
            "adds": x + s,
            "muls": x * s,
            "maxs": np.maximum(x, s),
            "mins": np.minimum(x, s),
        }
    for name, value in expected.items():
        assert same(got[name], value), f"{name} {first_difference(got[name], value)}"


@pytest.mark.parametrize("dtype", ["int16", "int32", "float16"])
def test_saturation_mode_stops_at_the_ends_of_the_type(toolchain: SimulatorToolchain, dtype: str) -> None:
    x, y = corners(dtype, N, 8), shuffled(corners(dtype, N, 9), 10)
    body = (
        "    SetSaturationFlag<SaturationMode::INT>(true);\n"
        f"    Add(add, x, y, {N}); Sub(sub, x, y, {N}); Mul(mul, x, y, {N});\n"
        "    SetSaturationFlag<SaturationMode::INT>(false);"
    )
    done = run(body, {"x": x, "y": y}, {k: ((N,), dtype) for k in ("add", "sub", "mul")}, toolchain=toolchain)
    assert not done.codes
    wide = [v.astype(np.float64 if dtype == "float16" else np.int64) for v in (x, y)]
    with np.errstate(all="ignore"):
        exact = {"add": wide[0] + wide[1], "sub": wide[0] - wide[1], "mul": wide[0] * wide[1]}
        for name, wide_value in exact.items():
            if dtype == "float16":
                value = np.clip(np.nan_to_num(wide_value, nan=0.0), -65504, 65504).astype(np.float16)
            else:
                info = np.iinfo(dtype)
                value = np.clip(wide_value, info.min, info.max).astype(dtype)
            assert same(done.outputs[name], value), f"{name} {first_difference(done.outputs[name], value)}"


def test_bitwise_and_shifts(toolchain: SimulatorToolchain) -> None:
    x, y = corners("int16", N, 11), corners("int16", N, 12)
    calls = {
        "land": f"And({{out}}, x, y, {N});",
        "lor": f"Or({{out}}, x, y, {N});",
        "lnot": f"Not({{out}}, x, {N});",
        "left3": f"ShiftLeft({{out}}, x, (int16_t)3, {N});",
        "left16": f"ShiftLeft({{out}}, x, (int16_t)16, {N});",
        "right3": f"ShiftRight({{out}}, x, (int16_t)3, {N});",
        "right16": f"ShiftRight({{out}}, x, (int16_t)16, {N});",
        "rounded": f"ShiftRight({{out}}, x, (int16_t)5, 128, {N // 128}, {{{{1, 1, 8, 8}}}}, true);",
    }
    got = outputs_of(toolchain, calls, {"x": x, "y": y}, "int16")
    sign = np.int16(-0x8000)
    wide = x.astype(np.int32)
    expected = {
        "land": x & y,
        "lor": x | y,
        "lnot": ~x,
        "left3": (x & sign) | ((x << 3) & ~sign),  # the sign bit stays
        "left16": x & sign,
        "right3": x >> 3,
        "right16": np.where(x < 0, -1, 0).astype(np.int16),
        "rounded": ((wide >> 5) + (wide >> 4 & 1)).astype(np.int16),
    }
    for name, value in expected.items():
        assert same(got[name], value.astype(np.int16)), f"{name} {first_difference(got[name], value)}"


def test_shift_examples_of_the_documentation(toolchain: SimulatorToolchain) -> None:
    x = np.full(128, 0b1010101010101010 - 0x10000, np.int16)
    y = np.full(128, 17, np.int16)
    calls = {
        "one": "ShiftLeft({out}, x, (int16_t)1, 128);",
        "three": "ShiftLeft({out}, x, (int16_t)3, 128);",
        "rounded": "ShiftRight({out}, y, (int16_t)5, 128, 1, {{1, 1, 8, 8}}, true);",
    }
    got = outputs_of(toolchain, calls, {"x": x, "y": y}, "int16", 128)
    assert set(got["one"].view(np.uint16)) == {0b1101010101010100}
    assert set(got["three"].view(np.uint16)) == {0b1101010101010000}
    assert set(got["rounded"]) == {1}


def test_exp_and_ln_are_nearly_always_correctly_rounded(toolchain: SimulatorToolchain) -> None:
    rng = np.random.default_rng(13)
    x = rng.uniform(-104, 89, 8192).astype(np.float32)
    x[:6] = [0.0, np.inf, -np.inf, np.nan, 88.8, -103.9]
    y = np.abs(rng.integers(0, 1 << 31, 8192, dtype=np.uint32).view(np.float32))
    y[:6] = [0.0, np.inf, -1.0, np.nan, 1e-45, 1.0]
    y[6:1000] = (1 + rng.uniform(-1e-3, 1e-3, 994)).astype(np.float32)
    got = outputs_of(
        toolchain, {"e": "Exp({out}, x, 8192);", "l": "Ln({out}, y, 8192);"}, {"x": x, "y": y}, "float32", 8192
    )
    with np.errstate(all="ignore"):
        expected = {
            "e": np.exp(x.astype(np.float64)).astype(np.float32),
            "l": np.log(y.astype(np.float64)).astype(np.float32),
        }
    for name, value in expected.items():
        special = ~np.isfinite(value) | (value == 0)
        assert same(got[name][special], value[special])
        ulp = np.abs(got[name].view(np.int32).astype(np.int64) - value.view(np.int32))[~special]
        assert ulp.max() <= 1 and np.mean(ulp != 0) < 1e-3, name


def test_fused_half_operations_round_once(toolchain: SimulatorToolchain) -> None:
    x, y, z = (corners("float16", N, seed) for seed in (14, 15, 16))
    y, z = shuffled(y, 17), shuffled(z, 18)
    body = (
        f"    DataCopy(fma, z, {N}); DataCopy(mad, z, {N}); DataCopy(axpy, z, {N}); DataCopy(fmar, z, {N});\n"
        f"    FusedMulAdd(fma, x, y, {N});\n    MulAddDst(mad, x, y, {N});\n    Axpy(axpy, x, (half)1.7, {N});\n"
        f"    FusedMulAddRelu(fmar, x, y, {N});"
    )
    names = ("fma", "mad", "axpy", "fmar")
    done = run(body, {"x": x, "y": y, "z": z}, {k: ((N,), "float16") for k in names}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    a, b, c = (v.astype(np.float64) for v in (x, y, z))  # exact, sums of half products included
    with np.errstate(all="ignore"):
        expected = {
            "fma": (a * c + b).astype(np.float16),
            "mad": (a * b + c).astype(np.float16),
            "axpy": (a * np.float64(np.float16(1.7)) + c).astype(np.float16),
            "fmar": relu((a * c + b).astype(np.float16)),
        }
    for name, value in expected.items():
        assert same(done.outputs[name], value), f"{name} {first_difference(done.outputs[name], value)}"


def test_mixed_operations_widen_and_narrow(toolchain: SimulatorToolchain) -> None:
    rng = np.random.default_rng(19)
    x, y = (rng.uniform(-40, 40, N).astype(np.float16) for _ in range(2))
    f, g = (rng.uniform(-70000, 70000, N).astype(np.float32) for _ in range(2))
    i, j = corners("int16", N, 20), shuffled(corners("int16", N, 21), 22)
    acc = rng.uniform(-1, 1, N).astype(np.float32)
    body = (
        f"    DataCopy(wide, acc, {N}); DataCopy(axpy, acc, {N});\n"
        f"    MulAddDst(wide, x, y, {N});\n    Axpy(axpy, x, (half)0.3, {N});\n"
        f"    MulCast(bytes, x, y, {N});\n    MulCast(ubytes, x, y, {N});\n"
        f"    AddReluCast(narrow, f, g, {N});\n    SubReluCast(fromint, i, j, {N});"
    )
    outputs = {
        "wide": ((N,), "float32"),
        "axpy": ((N,), "float32"),
        "bytes": ((N,), "int8"),
        "ubytes": ((N,), "uint8"),
        "narrow": ((N,), "float16"),
        "fromint": ((N,), "int8"),
    }
    done = run(body, {"x": x, "y": y, "f": f, "g": g, "i": i, "j": j, "acc": acc}, outputs, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    product = np.rint((x * y).astype(np.float64))
    with np.errstate(over="ignore"):
        expected = {
            "wide": (x.astype(np.float64) * y + acc).astype(np.float32),
            "axpy": (x.astype(np.float64) * np.float64(np.float16(0.3)) + acc).astype(np.float32),
            "bytes": np.clip(product, -128, 127).astype(np.int8),
            "ubytes": np.clip(product, 0, 255).astype(np.uint8),
            "narrow": relu((f + g).astype(np.float16)),
            "fromint": np.clip(i.astype(np.int32) - j, 0, 127).astype(np.int8),
        }
    for name, value in expected.items():
        assert same(done.outputs[name], value), f"{name} {first_difference(done.outputs[name], value)}"


def test_float_axpy_is_fused(toolchain: SimulatorToolchain) -> None:
    x = np.full(64, 1 + 2.0**-12, np.float32)
    c = np.full(64, -1, np.float32)
    done = run(
        "    DataCopy(z, c, 64);\n    Axpy(z, x, (float)(1 + 0x1p-12f), 64);",
        {"x": x, "c": c},
        {"z": ((64,), "float32")},
        toolchain=toolchain,
    )
    assert set(done.outputs["z"]) == {np.float32(2.0**-11 + 2.0**-24)}
