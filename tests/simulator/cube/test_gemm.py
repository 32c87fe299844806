"""Whole matrix products through L1, L0A, L0B and L0C: types, tiles and tails, bias, quantisation, hand-over."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.dtypes import DType
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
