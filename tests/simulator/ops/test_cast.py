"""Cast: every legal pair of types in every legal rounding mode, against exact arithmetic."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import run
from .values import corners, first_difference, same

N = 1024
FIVE = ("RINT", "FLOOR", "CEIL", "ROUND", "TRUNC")
BF16 = np.dtype(ml_dtypes.bfloat16)


def whole(x: NDArray[np.float64], mode: str) -> NDArray[np.float64]:
    """To integral values; ROUND is half away from zero."""
    if mode == "ROUND":
        return np.trunc(x) + np.where(np.abs(x - np.trunc(x)) >= 0.5, np.sign(x), 0)
    return {"RINT": np.rint, "NONE": np.rint, "FLOOR": np.floor, "CEIL": np.ceil, "TRUNC": np.trunc}[mode](x)


def to_integer(x: NDArray[Any], dtype: str, mode: str) -> NDArray[Any]:
    """Saturating; NaN gives 0."""
    info = np.iinfo(dtype)
    rounded = whole(x.astype(np.float64), mode)
    result = np.zeros(x.shape, dtype)
    for i, value in enumerate(rounded):
        result[i] = (
            0
            if np.isnan(value)
            else info.max
            if value >= info.max
            else max(int(value), info.min)
            if np.isfinite(value)
            else info.min
        )
    return result


def to_half(x: NDArray[np.float32], mode: str) -> NDArray[Any]:
    """By exact arithmetic in float64: rounds to the grid of half; overflow gives infinity in every mode."""
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        exponent = np.floor(np.log2(np.abs(np.where((wide == 0) | ~np.isfinite(wide), 1, wide))))
    step = np.exp2(np.maximum(exponent, -14) - 10)
    scaled = wide / step
    if mode == "ODD":
        low = np.trunc(scaled)
        rounded = np.where(scaled == low, low, np.where(low % 2 == 0, low + np.sign(scaled), low))
    else:
        rounded = whole(scaled, mode)
    value = rounded * step
    with np.errstate(all="ignore"):
        result = np.where(np.abs(value) > 65504, np.copysign(np.inf, value), value).astype(np.float16)
    result = np.where(np.isfinite(wide), result, x.astype(np.float16))
    return np.copysign(result, x.astype(np.float16)).astype(np.float16)


def to_bfloat16(x: NDArray[np.float32], mode: str) -> NDArray[Any]:
    raw = x.view(np.uint32).astype(np.int64)
    sign, magnitude = raw & 0x80000000, raw & 0x7FFFFFFF
    kept, rest = magnitude >> 16, magnitude & 0xFFFF
    negative = sign != 0
    up = {
        "RINT": (rest > 0x8000) | ((rest == 0x8000) & (kept & 1 == 1)),
        "ROUND": rest >= 0x8000,
        "TRUNC": np.zeros(x.shape, bool),
        "FLOOR": negative & (rest != 0),
        "CEIL": ~negative & (rest != 0),
    }[mode]
    bits = np.where(np.isnan(x), 0x7FC0, kept + up) | (sign >> 16)
    return bits.astype(np.uint16).view(BF16)


def integer_to_float(x: NDArray[Any], mode: str) -> NDArray[np.float32]:
    result = np.empty(x.shape, np.float32)
    for i, value in enumerate(int(v) for v in x):
        exact, sign = abs(value), -1 if value < 0 else 1
        shift = max(exact.bit_length() - 24, 0)
        kept, rest, half = exact >> shift, exact & ((1 << shift) - 1), (1 << shift) >> 1
        away = {
            "RINT": rest > half or (rest == half and half > 0 and kept % 2 == 1),
            "ROUND": half > 0 and rest >= half,
            "TRUNC": False,
            "FLOOR": sign < 0 and rest > 0,
            "CEIL": sign > 0 and rest > 0,
        }[mode if mode != "NONE" else "RINT"]
        result[i] = sign * float((kept + away) << shift)
    return result


def cast(toolchain: SimulatorToolchain, x: NDArray[Any], dtype: str, modes: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    n = x.size
    body = "\n".join(f"    Cast({m.lower()}, x, RoundMode::CAST_{m}, {n});" for m in modes)
    done = run(body, {"x": x}, {m.lower(): ((n,), dtype) for m in modes}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    return {m: done.outputs[m.lower()] for m in modes}


def check(got: NDArray[Any], expected: NDArray[Any], what: str) -> None:
    assert same(got, expected), f"{what} {first_difference(got, expected)}"


@pytest.mark.parametrize("dtype", ["int16", "int32", "int64"])
def test_float_to_integers_saturates(toolchain: SimulatorToolchain, dtype: str) -> None:
    x = corners("float32", N, 30)
    x[100:108] = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999997, 8388609.0]
    for mode, got in cast(toolchain, x, dtype, FIVE).items():
        check(got, to_integer(x, dtype, mode), mode)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32"])
def test_half_to_integers_saturates(toolchain: SimulatorToolchain, dtype: str) -> None:
    x = corners("float16", N, 31)
    x[100:106] = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5]
    modes = FIVE if dtype in ("int16", "int32") else (*FIVE, "NONE")
    for mode, got in cast(toolchain, x, dtype, modes).items():
        check(got, to_integer(x, dtype, mode), mode)


def test_float_to_half(toolchain: SimulatorToolchain) -> None:
    x = corners("float32", N, 32)
    rng = np.random.default_rng(33)
    x[20:220] = np.exp2(rng.uniform(-26, 17, 200)).astype(np.float32)
    x[220:420] = -x[20:220]
    x[420:424] = [65519.996, 65520.0, 65504.0, 65535.0]
    for mode, got in cast(toolchain, x, "float16", (*FIVE, "ODD", "NONE")).items():
        check(got, to_half(x, mode), mode)


def test_float_to_bfloat16(toolchain: SimulatorToolchain) -> None:
    x = corners("float32", N, 34)
    for mode, got in cast(toolchain, x, "bfloat16", FIVE).items():
        expected = to_bfloat16(x, mode)
        nan = np.isnan(expected.astype(np.float32))
        assert np.array_equal(np.isnan(got.astype(np.float32)), nan)
        assert np.array_equal(got.view(np.uint16)[~nan], expected.view(np.uint16)[~nan]), mode


def test_float_to_float_rounds_to_integral_values_without_negative_zero(toolchain: SimulatorToolchain) -> None:
    x = corners("float32", N, 35)
    x[100:104] = [-0.3, -0.5, 2.5, -0.0]
    for mode, got in cast(toolchain, x, "float32", FIVE).items():
        check(got, (whole(x.astype(np.float64), mode) + 0.0).astype(np.float32), mode)


def test_widening_is_exact(toolchain: SimulatorToolchain) -> None:
    half = corners("float16", N, 36)
    bf16 = corners("float32", N, 37).view(np.uint32) >> 16
    bf16 = bf16.astype(np.uint16).view(BF16)
    check(cast(toolchain, half, "float32", ("NONE",))["NONE"], half.astype(np.float32), "half")
    got = cast(toolchain, bf16, "float32", ("NONE",))["NONE"]
    check(got, bf16.astype(np.float32), "bfloat16")
    for dtype in ("int8", "uint8"):
        x = corners(dtype, N, 38)
        check(cast(toolchain, x, "float16", ("NONE",))["NONE"], x.astype(np.float16), dtype)
    x = corners("int16", N, 39)
    check(cast(toolchain, x, "float32", ("NONE",))["NONE"], x.astype(np.float32), "int16")


def test_bfloat16_to_int32(toolchain: SimulatorToolchain) -> None:
    raw = (corners("float32", N, 40).view(np.uint32) >> 16).astype(np.uint16)
    x = raw.view(BF16)
    for mode, got in cast(toolchain, x, "int32", FIVE).items():
        check(got, to_integer(x.astype(np.float32), "int32", mode), mode)


def test_integers_to_floats(toolchain: SimulatorToolchain) -> None:
    x = corners("int32", N, 41)
    for mode, got in cast(toolchain, x, "float32", (*FIVE, "NONE")).items():
        check(got, integer_to_float(x, mode), f"int32 {mode}")
    x = corners("int64", N, 42)
    x[10:20] = np.arange(10) + (1 << 24)
    for mode, got in cast(toolchain, x, "float32", FIVE).items():
        check(got, integer_to_float(x, mode), f"int64 {mode}")
    x = corners("int16", N, 43)
    for mode, got in cast(toolchain, x, "float16", (*FIVE, "NONE")).items():
        check(got, to_half(x.astype(np.float32), "RINT" if mode == "NONE" else mode), f"int16 {mode}")


def test_largest_int32_rounded_down(toolchain: SimulatorToolchain) -> None:
    x = np.full(64, 2**31 - 1, np.int32)
    assert set(cast(toolchain, x, "float32", ("FLOOR",))["FLOOR"]) == {np.float32(2147483520)}


def test_integers_to_integers(toolchain: SimulatorToolchain) -> None:
    x = corners("int32", N, 44)
    x[10:200] //= 1 << 16
    check(cast(toolchain, x, "int16", ("NONE",))["NONE"], np.clip(x, -32768, 32767).astype(np.int16), "int16")
    check(cast(toolchain, x, "int64", ("NONE",))["NONE"], x.astype(np.int64), "int64")
    y = corners("int64", N, 45)
    y[10:200] //= 1 << 33
    limits = np.iinfo(np.int32)
    check(cast(toolchain, y, "int32", ("NONE",))["NONE"], np.clip(y, limits.min, limits.max).astype(np.int32), "int32")


def test_int32_to_half_multiplies_by_the_deq_scale(toolchain: SimulatorToolchain) -> None:
    x = np.random.default_rng(46).integers(-100000, 100000, N, dtype=np.int32)
    body = f"    SetDeqScale((half)0.3);\n    Cast(z, x, RoundMode::CAST_NONE, {N});"
    done = run(body, {"x": x}, {"z": ((N,), "float16")}, toolchain=toolchain)
    with np.errstate(over="ignore"):
        expected = (x.astype(np.float64) * np.float64(np.float16(0.3))).astype(np.float16)
    assert not done.codes
    check(done.outputs["z"], expected, "int32")


def test_int4_packs_two_values_a_byte_low_nibble_first(toolchain: SimulatorToolchain) -> None:
    x = np.arange(-10, 118, dtype=np.float16)
    body = (
        "    LocalTensor<int4b_t> q = bytes.ReinterpretCast<int4b_t>();\n"
        "    Cast(q, x, RoundMode::CAST_RINT, 128);\n    Cast(z, q, RoundMode::CAST_NONE, 128);"
    )
    done = run(body, {"x": x}, {"bytes": ((64,), "int8"), "z": ((128,), "float16")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    clipped = np.clip(x, -8, 7)
    assert np.array_equal(done.outputs["z"], clipped)
    nibbles = clipped.astype(np.int8) & 15
    assert np.array_equal(done.outputs["bytes"].view(np.uint8), (nibbles[0::2] | nibbles[1::2] << 4).view(np.uint8))


ILLEGAL_MODES = (
    ("h", "f", "RINT"),
    ("f", "i", "NONE"),
    ("f", "b", "NONE"),
    ("h", "f", "ODD"),
    ("i", "s", "RINT"),
    ("h", "i", "NONE"),
)


def test_illegal_rounding_modes_are_named(toolchain: SimulatorToolchain) -> None:
    types = {"h": "float16", "f": "float32", "i": "int32", "s": "int16", "b": "bfloat16"}
    inputs = {name: np.zeros(64, DType(dtype).numpy) for name, dtype in types.items()}
    outputs = {f"{name}z": ((64,), dtype) for name, dtype in types.items()}
    calls = [f"Cast({dst}z, {src}, RoundMode::CAST_{mode}, 64);" for src, dst, mode in ILLEGAL_MODES]
    body = "\n".join(f"    {call}" for call in calls)
    done = run(body, inputs, outputs, toolchain=toolchain)
    found = [d for d in done.diagnostics if d.code == "cast-round-mode"]
    assert len(found) == len(ILLEGAL_MODES), done.diagnostics
    for (src, dst, mode), finding in zip(ILLEGAL_MODES, found, strict=True):
        assert f"from {DType(types[src]).ascendc} to {DType(types[dst]).ascendc} with CAST_{mode}" in finding.message
        assert "CAST_" in finding.hint


def test_scale_register_that_was_never_set_is_named(toolchain: SimulatorToolchain) -> None:
    done = run(
        "    Cast(z, x, RoundMode::CAST_NONE, 64);",
        {"x": np.ones(64, np.int32)},
        {"z": ((64,), "float16")},
        toolchain=toolchain,
    )
    assert done.codes == ("deqscale-not-set",)


def test_scalar_conversions(toolchain: SimulatorToolchain) -> None:
    body = (
        "    z.SetValue(0, ScalarCast<float, int32_t, RoundMode::CAST_RINT>(2.5f));\n"
        "    z.SetValue(1, ScalarCast<float, int32_t, RoundMode::CAST_CEIL>(2.1f));\n"
        "    z.SetValue(2, ScalarCast<float, int32_t, RoundMode::CAST_FLOOR>(-2.1f));\n"
        "    z.SetValue(3, (int32_t)ScalarCast<float, half, RoundMode::CAST_ODD>(2049.0f));\n"
        "    z.SetValue(4, (int32_t)ToFloat(ToBfloat16(257.0f)));\n"
        "    z.SetValue(5, (int32_t)ScalarGetCountOfValue<1>(0xF0F0));\n"
        "    z.SetValue(6, (int32_t)CountBitsCntSameAsSignBit(0x0100000000000020));\n"
        "    z.SetValue(7, (int32_t)ScalarGetSFFValue<1>(0x20));"
    )
    done = run(body, {}, {"z": ((8,), "int32")}, toolchain=toolchain)
    assert done.completed, done.diagnostics
    assert done.outputs["z"].tolist() == [2, 3, -3, 2050, 256, 8, 6, 5]
