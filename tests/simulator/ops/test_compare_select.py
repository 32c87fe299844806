"""Compare, Compares, Select and the CMPMASK register: bit layout, NaN rules, modes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import run
from .values import corners, same, shuffled

N = 1024
MODES = ("LT", "GT", "EQ", "LE", "GE", "NE")


def packed(bits: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Bit i % 8 of byte i / 8 is element i."""
    return np.packbits(bits, bitorder="little")


def compared(mode: str, a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    """NaN makes every comparison false, NE included."""
    ordered = ~(np.isnan(a) | np.isnan(b))
    result = {
        "LT": a < b,
        "GT": a > b,
        "EQ": a == b,
        "LE": a <= b,
        "GE": a >= b,
        "NE": a != b,
    }[mode]
    return np.asarray(result & ordered)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_compare_packs_one_bit_an_element(toolchain: SimulatorToolchain, dtype: str) -> None:
    x, y = corners(dtype, N, 50), shuffled(corners(dtype, N, 51), 52)
    y[:300] = x[:300]
    kind = DType(dtype).ascendc
    body = "\n".join(
        f"    Compare({m.lower()}, x, y, CMPMODE::{m}, {N});\n"
        f"    CompareScalar(s{m.lower()}, x, ({kind})0.0, CMPMODE::{m}, {N});"
        for m in MODES
    )
    outputs = {name: ((N // 8,), "uint8") for m in MODES for name in (m.lower(), "s" + m.lower())}
    done = run(body, {"x": x, "y": y}, outputs, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    zero = np.zeros_like(x)
    for m in MODES:
        assert np.array_equal(done.outputs[m.lower()], packed(compared(m, x, y))), m
        assert np.array_equal(done.outputs["s" + m.lower()], packed(compared(m, x, zero))), m


def test_int32_compares_for_equality_only(toolchain: SimulatorToolchain) -> None:
    x = np.arange(64, dtype=np.int32) % 7
    y = np.arange(64, dtype=np.int32) % 5
    done = run("    Compare(z, x, y, CMPMODE::EQ, 64);", {"x": x, "y": y}, {"z": ((8,), "uint8")}, toolchain=toolchain)
    assert np.array_equal(done.outputs["z"], packed(x == y))
    done = run("    Compare(z, x, y, CMPMODE::LT, 64);", {"x": x, "y": y}, {"z": ((8,), "uint8")}, toolchain=toolchain)
    assert done.codes == ("compare-mode",)


def test_mask_form_ignores_the_mask_and_packs_repeats_tightly(toolchain: SimulatorToolchain) -> None:
    x = np.random.default_rng(53).standard_normal(512).astype(np.float32)
    y = np.zeros(512, np.float32)
    body = "    Compare(z, x, y, CMPMODE::GT, 3, 4, {1, 1, 1, 8, 16, 0});"
    done = run(body, {"x": x, "y": y}, {"z": ((32,), "uint8")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    rows = x.reshape(4, 128)[:, :64]
    assert np.array_equal(done.outputs["z"], packed((rows > 0).ravel()))


def test_a_count_that_is_no_multiple_of_256_bytes_is_named_and_its_tail_not_computed(
    toolchain: SimulatorToolchain,
) -> None:
    x = np.ones(256, np.float32)
    body = "    Duplicate(z.ReinterpretCast<int16_t>(), (int16_t)0, 16);\n    Compare(z, x, x, CMPMODE::EQ, 100);"
    done = run(body, {"x": x}, {"z": ((32,), "uint8")}, toolchain=toolchain)
    assert done.codes == ("count-alignment",)
    assert np.array_equal(done.outputs["z"], packed(np.arange(256) < 64))


def test_operators_compare_whole_tensors(toolchain: SimulatorToolchain) -> None:
    x, y = corners("float32", 256, 54), corners("float32", 256, 55)
    done = run(
        "    z = x < y;\n    s = x + y;",
        {"x": x, "y": y},
        {"z": ((32,), "uint8"), "s": ((256,), "float32")},
        toolchain=toolchain,
    )
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"], packed(compared("LT", x, y)))
    assert same(done.outputs["s"], x + y)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_select_takes_the_first_source_where_the_bit_is_one(toolchain: SimulatorToolchain, dtype: str) -> None:
    kind = DType(dtype).ascendc
    n, lanes = 1000, 256 // np.dtype(dtype).itemsize
    x, y = corners(dtype, n, 56), corners(dtype, n, 57)
    bits = np.random.default_rng(58).integers(0, 2, 1024, dtype=np.uint8).astype(bool)
    body = (
        f"    Select(tensor, m, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, {n});\n"
        f"    Select(scalar, m, x, ({kind})-3.0, SELMODE::VSEL_TENSOR_SCALAR_MODE, {n});\n"
        f"    Select(reused, m, x, y, SELMODE::VSEL_CMPMASK_SPR, {n});"
    )
    outputs = {name: ((n,), dtype) for name in ("tensor", "scalar", "reused")}
    done = run(body, {"x": x, "y": y, "m": packed(bits)}, outputs, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    take = bits[:n]
    again = np.resize(bits[:lanes], n)
    assert same(done.outputs["tensor"], np.where(take, x, y))
    assert same(done.outputs["scalar"], np.where(take, x, x.dtype.type(-3)))
    assert same(done.outputs["reused"], np.where(again, x, y))


def test_select_mask_form_leaves_masked_lanes(toolchain: SimulatorToolchain) -> None:
    x, y = np.arange(256, dtype=np.float32), -np.arange(256, dtype=np.float32)
    bits = np.random.default_rng(59).integers(0, 2, 256, dtype=np.uint8).astype(bool)
    body = (
        "    Duplicate(z, 7.0f, 256);\n"
        "    Select(z, m, x, y, SELMODE::VSEL_TENSOR_TENSOR_MODE, 10, 4, {1, 1, 1, 8, 8, 8});"
    )
    done = run(body, {"x": x, "y": y, "m": packed(bits)}, {"z": ((256,), "float32")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    on = np.arange(256) % 64 < 10
    assert np.array_equal(done.outputs["z"], np.where(on, np.where(bits, x, y), 7))


def test_cmpmask_register_is_shared_by_compare_and_select(toolchain: SimulatorToolchain) -> None:
    x, y = np.arange(64, dtype=np.float32), np.full(64, 31.5, np.float32)
    body = (
        "    uint64_t all = 64;\n    Compare(x, y, CMPMODE::LT, all, {1, 1, 1, 8, 8, 8});\n    GetCmpMask(m);\n"
        "    SetVectorMask<float>(64);\n"
        "    Select<float, SELMODE::VSEL_CMPMASK_SPR>(z, x, y, 1, {1, 1, 1, 8, 8, 8});\n"
        "    SetCmpMask(inverse);\n"
        "    Select<float, SELMODE::VSEL_CMPMASK_SPR>(w, x, y, 1, {1, 1, 1, 8, 8, 8});"
    )
    inverse = np.zeros(32, np.uint8)
    inverse[:8] = packed(x >= y)
    done = run(
        body,
        {"x": x, "y": y, "inverse": inverse},
        {"m": ((128,), "uint8"), "z": ((64,), "float32"), "w": ((64,), "float32")},
        toolchain=toolchain,
    )
    assert not [c for c in done.codes if c != "uninitialised-read"], done.diagnostics
    assert np.array_equal(done.outputs["m"][:8], packed(x < y))
    assert np.array_equal(done.outputs["z"], np.minimum(x, y))
    assert np.array_equal(done.outputs["w"], np.maximum(x, y))


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("Select(z, m, x, 1.0f, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);", "select-mode"),
        ("Select(z, m, x, x, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);", "select-mode"),
        (
            "pipe.InitBuffer(big, 184 * 1024); Select(z, m, x, x, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);",
            "scratch-overlap",
        ),
    ],
)
def test_misuse_of_select_is_named(toolchain: SimulatorToolchain, call: str, code: str) -> None:
    body = "    TBuf<TPosition::VECCALC> big;\n    " + call
    x, m = np.zeros(64, np.float32), np.zeros(8, np.uint8)
    done = run(body, {"x": x, "m": m}, {"z": ((64,), "float32")}, toolchain=toolchain)
    assert code in done.codes, done.diagnostics
