"""CastDeq of int16_t: scale, offset and sign from a register or from 16 entries, in one half of each block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import run

X = np.random.default_rng(70).integers(-3000, 3000, 256, dtype=np.int16)
Array = NDArray[Any]


def requantised(x: Array, scale: Array | float, offset: Array | int, signed: bool) -> Array:
    low, high = (-128, 127) if signed else (0, 255)
    return np.clip(np.rint(x.astype(np.float64) * scale + offset), low, high).astype(np.int8 if signed else np.uint8)


def halves(values: Array, upper: bool, blank: int) -> Array:
    blocks = np.full((len(values) // 16, 2, 16), blank, values.dtype)
    blocks[:, int(upper)] = values.reshape(-1, 16)
    return blocks.reshape(-1)


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("lower", [True, False])
def test_one_scale_for_all(toolchain: SimulatorToolchain, signed: bool, lower: bool) -> None:
    kind = "int8_t" if signed else "uint8_t"
    body = f"""    Duplicate(z.ReinterpretCast<int16_t>(), int16_t(0x0101), 256);
    SetDeqScale(0.0625f, -5, {str(signed).lower()});
    CastDeq<{kind}, int16_t, false, {str(lower).lower()}>(z, x, 256);"""
    done = run(body, {"x": X}, {"z": ((512,), "int8" if signed else "uint8")}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"], halves(requantised(X, 0.0625, -5, signed), not lower, 1))


def test_sixteen_entries_go_round_in_each_block(toolchain: SimulatorToolchain) -> None:
    scales, offsets = 2.0 ** -np.arange(16), np.arange(-8, 8)
    entries = f"""    const float s[16] = {{{", ".join(f"{v}f" for v in scales)}}};
    const int16_t o[16] = {{{", ".join(map(str, offsets))}}}; bool g[16]; for (bool& v : g) v = true;"""
    body = f"""{entries}
    Duplicate(z.ReinterpretCast<int16_t>(), int16_t(0), 256); SetDeqScale(v, VdeqInfo(s, o, g));
    CastDequant<int8_t, int16_t>(z, x, 128, 2, {{1, 1, 8, 8}});"""
    inputs = {"x": X, "v": np.zeros(32, np.uint32)}
    done = run(body, inputs, {"z": ((512,), "int8")}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    expected = requantised(X.reshape(-1, 16), scales, offsets, True).reshape(-1)
    assert np.array_equal(done.outputs["z"], halves(expected, False, 0))


def test_a_mask_leaves_the_other_elements(toolchain: SimulatorToolchain) -> None:
    body = """    Duplicate(z.ReinterpretCast<int16_t>(), int16_t(0), 128); SetDeqScale(1.0f, 0, true);
    uint64_t odd[2] = {0xaaaaaaaaaaaaaaaa, 0}; CastDeq<int8_t, int16_t, true, false>(z, x, odd, 1, {1, 1, 8, 8});"""
    done = run(body, {"x": X[:128]}, {"z": ((256,), "int8")}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    expected = requantised(X[:128], 1.0, 0, True)
    expected[::2] = 0
    expected[64:] = 0
    assert np.array_equal(done.outputs["z"], halves(expected, False, 0))


def test_the_scale_has_to_be_set(toolchain: SimulatorToolchain) -> None:
    done = run("    CastDeq<int8_t, int16_t, false>(z, x, 16);", {"x": X}, {"z": ((32,), "int8")}, toolchain=toolchain)
    assert "deqscale-not-set" in done.codes


def test_the_entries_are_read_by_the_vector_unit(toolchain: SimulatorToolchain) -> None:
    body = """    SetDeqScale(v, VdeqInfo());
    DataCopy(v, vGlobal, 32); CastDeq<int8_t, int16_t>(z, x, 16);"""
    inputs = {"x": X, "v": np.zeros(32, np.uint32)}
    done = run(body, inputs, {"z": ((32,), "int8")}, toolchain=toolchain)
    assert "missing-sync" in done.codes
