"""Whole matrix products through L1, L0A, L0B and L0C: types, tiles and tails, bias, quantisation, hand-over."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.testing.simulate import simulate
from agentkernel.toolchains.simulator import SimulatorToolchain

from .gemm import Gemm


def operands(gemm: Gemm) -> tuple[NDArray[np.generic], NDArray[np.generic]]:
    random = np.random.default_rng(gemm.m * 7 + gemm.n * 3 + gemm.k)
    if gemm.dtype == "int8":
        return (
            random.integers(-128, 128, (gemm.m, gemm.k)).astype(np.int8),
            random.integers(-128, 128, (gemm.k, gemm.n)).astype(np.int8),
        )
    dtype = DType(gemm.dtype).numpy
    return (
        random.standard_normal((gemm.m, gemm.k)).astype(dtype),
        random.standard_normal((gemm.k, gemm.n)).astype(dtype),
    )


def exact(a: NDArray[np.generic], b: NDArray[np.generic]) -> NDArray[np.float64]:
    return np.asarray(a.astype(np.float64) @ b.astype(np.float64))


SHAPES = [
    pytest.param(Gemm(64, 96, 128), id="one-tile"),
    pytest.param(Gemm(128, 128, 256), id="along-k"),
    pytest.param(Gemm(100, 70, 72), id="tails"),
    pytest.param(Gemm(33, 17, 19), id="small-tails"),
    pytest.param(Gemm(300, 200, 130, tile=(128, 128, 64)), id="many-tiles"),
    pytest.param(Gemm(300, 200, 130, unit_flags=True), id="unit-flags"),
    pytest.param(Gemm(256, 256, 64, blocks=4), id="cores"),
    pytest.param(Gemm(64, 96, 128, dtype="bfloat16"), id="bfloat16"),
    pytest.param(Gemm(100, 70, 72, dtype="bfloat16"), id="bfloat16-tails"),
]


@pytest.mark.parametrize("gemm", SHAPES)
def test_product_of_reals(gemm: Gemm, toolchain: SimulatorToolchain) -> None:
    a, b = operands(gemm)
    done = gemm.run(a, b, toolchain)
    assert done.completed and not done.diagnostics, done.diagnostics
    np.testing.assert_allclose(done.outputs["c"], exact(a, b), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(
    "gemm",
    [
        pytest.param(Gemm(64, 96, 128, dtype="int8", out="int32"), id="one-tile"),
        pytest.param(Gemm(100, 70, 72, dtype="int8", out="int32"), id="tails"),
        pytest.param(Gemm(200, 200, 200, dtype="int8", out="int32", unit_flags=True), id="unit-flags"),
    ],
)
def test_product_of_integers_is_exact(gemm: Gemm, toolchain: SimulatorToolchain) -> None:
    a, b = operands(gemm)
    done = gemm.run(a, b, toolchain)
    assert done.completed and not done.diagnostics, done.diagnostics
    np.testing.assert_array_equal(done.outputs["c"], exact(a, b).astype(np.int32))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int8"])
@pytest.mark.parametrize("shape", [(64, 96, 128), (100, 70, 72)])
def test_bias_is_added_to_every_row(dtype: str, shape: tuple[int, int, int], toolchain: SimulatorToolchain) -> None:
    m, n, k = shape
    kind = np.int32 if dtype == "int8" else np.float32
    bias = (np.arange(-(-n // 16) * 16) * 3 - 50).astype(kind)
    gemm = Gemm(m, n, k, dtype=dtype, out="int32" if dtype == "int8" else "float32", bias=bias)
    a, b = operands(gemm)
    done = gemm.run(a, b, toolchain)
    assert done.completed and not done.diagnostics, done.diagnostics
    np.testing.assert_allclose(done.outputs["c"], exact(a, b) + bias[:n], rtol=1e-5, atol=1e-4)


def bits_of(scale: float, offset: int = 0, signed: bool = True) -> int:
    """The parameter of quantisation: scale, 9-bit offset, sign."""
    return int(np.float32(scale).view(np.uint32)) | (offset & 0x1FF) << 37 | int(signed) << 46


def to_bytes(product: NDArray[np.float64], scale: float, offset: int, signed: bool) -> NDArray[np.float64]:
    low, high = (-128, 127) if signed else (0, 255)
    return np.clip(np.rint(product.astype(np.float32) * np.float32(scale)) + offset, low, high)


@pytest.mark.parametrize("relu", [False, True])
@pytest.mark.parametrize(("out", "quant"), [("float16", "F322F16"), ("bfloat16", "F322BF16")])
def test_reals_are_rounded_on_the_way_out(out: str, quant: str, relu: bool, toolchain: SimulatorToolchain) -> None:
    gemm = Gemm(100, 70, 72, out=out, quant=quant, relu=relu)
    a, b = operands(gemm)
    done = gemm.run(a, b, toolchain)
    assert done.completed and not done.diagnostics, done.diagnostics
    expected = np.maximum(exact(a, b), 0) if relu else exact(a, b)
    np.testing.assert_allclose(done.outputs["c"].astype(np.float64), expected, rtol=2**-8, atol=2**-8)


def test_integers_are_scaled_to_half(toolchain: SimulatorToolchain) -> None:
    gemm = Gemm(64, 96, 128, dtype="int8", out="float16", quant="DEQF16", scalar=bits_of(0.0078125))
    a, b = operands(gemm)
    done = gemm.run(a, b, toolchain)
    assert done.completed and not done.diagnostics, done.diagnostics
    np.testing.assert_array_equal(done.outputs["c"], (exact(a, b) * 0.0078125).astype(np.float16))


def test_every_column_has_its_scale(toolchain: SimulatorToolchain) -> None:
    scales = 2.0 ** -(6 + np.arange(96) % 4)
    bits = np.array([bits_of(float(s)) for s in scales], dtype=np.int64)
    gemm = Gemm(64, 96, 128, dtype="int8", out="float16", quant="VDEQF16", scales=bits)
    a, b = operands(gemm)
    done = gemm.run(a, b, toolchain)
    assert done.completed and not done.diagnostics, done.diagnostics
    np.testing.assert_array_equal(done.outputs["c"], (exact(a, b) * scales).astype(np.float16))


@pytest.mark.parametrize(("dtype", "quant"), [("float16", "QF322B8_PRE"), ("int8", "REQ8")])
@pytest.mark.parametrize("signed", [True, False])
def test_results_are_quantised_to_bytes(dtype: str, quant: str, signed: bool, toolchain: SimulatorToolchain) -> None:
    scale, offset = (1.5, -7) if dtype == "float16" else (2.0**-9, 21)
    out = "int8" if signed else "uint8"
    gemm = Gemm(64, 96, 128, dtype=dtype, out=out, quant=quant, scalar=bits_of(scale, offset, signed))
    a, b = operands(gemm)
    done = gemm.run(a, b, toolchain)
    assert done.completed and not done.diagnostics, done.diagnostics
    difference = done.outputs["c"].astype(np.int32) - to_bytes(exact(a, b), scale, offset, signed)
    # Where the product of reals lies next to a half its last bits decide.
    assert np.abs(difference).max() <= (1 if dtype == "float16" else 0) and np.mean(difference != 0) < 0.01


def test_scales_have_ten_bits_of_fraction(toolchain: SimulatorToolchain) -> None:
    low_bits = bits_of(0.0078125) | 0x1FFF
    gemm = Gemm(64, 96, 128, dtype="int8", out="float16", quant="DEQF16", scalar=low_bits)
    a, b = operands(gemm)
    done = gemm.run(a, b, toolchain)
    np.testing.assert_array_equal(done.outputs["c"], (exact(a, b) * 0.0078125).astype(np.float16))


def test_the_clock_knows_the_cube(toolchain: SimulatorToolchain) -> None:
    """Eight Mmad of 128 x 256 x 64: published measurements say 4209 cycles, 4225 without unit flags."""
    gemm = Gemm(128, 256, 512, tile=(128, 256, 64))
    done = gemm.run(*operands(gemm), toolchain)
    assert done.estimate is not None
    busy = next(pipe for pipe in done.estimate.pipes if pipe.pipe == "M")
    assert busy.instructions == 8
    assert busy.busy_us * 1850 == pytest.approx(4160, rel=0.03)


def test_a_vector_kernel_has_no_cube(toolchain: SimulatorToolchain) -> None:
    gemm = Gemm(64, 96, 128)
    source = gemm.source.replace("KERNEL_TYPE_AIC_ONLY", "KERNEL_TYPE_AIV_ONLY")
    a, b = operands(gemm)
    done = simulate(source, {"a": a, "b": b}, {"c": ((64, 96), "float32")}, toolchain=toolchain)
    assert done.codes[0] == "wrong-core" and "AIC_ONLY" in done.diagnostics[0].hint
