"""Gather, GatherMask, Brcb, Copy, Duplicate, CreateVecIndex."""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.dtypes import DType
from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import run


@pytest.mark.parametrize("dtype", ["float16", "int32"])
def test_gather_takes_byte_offsets(toolchain: SimulatorToolchain, dtype: str) -> None:
    x = np.arange(512).astype(dtype)
    size = x.itemsize
    where = np.random.default_rng(70).integers(0, 500, 200)
    offsets = (where * size).astype(np.uint32)
    body = (
        f"    Gather(z, x, o, {2 * size}, 200);\n    Duplicate(w, ({DType(dtype).ascendc})0, 512);\n"
        f"    uint64_t mask = 20;\n    Gather(w, x, o, 0, mask, 1, 8);"
    )
    done = run(body, {"x": x, "o": offsets}, {"z": ((200,), dtype), "w": ((512,), dtype)}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"], x[where + 2])
    assert np.array_equal(done.outputs["w"][:20], x[where[:20]]) and not done.outputs["w"][20:].any()


def test_gatherb_moves_blocks(toolchain: SimulatorToolchain) -> None:
    x = np.arange(256, dtype=np.uint32)
    order = np.random.default_rng(71).permutation(16)
    done = run(
        "    Gatherb(z, x, o, 2, {1, 8});",
        {"x": x, "o": (order * 32).astype(np.uint32)},
        {"z": ((128,), "uint32")},
        toolchain=toolchain,
    )
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"].reshape(16, 8), x.reshape(32, 8)[order])


@pytest.mark.parametrize(("offset", "code"), [(2, "gather-offset"), (200 * 1024, "gather-offset")])
def test_gather_offsets_that_lead_astray_are_named(toolchain: SimulatorToolchain, offset: int, code: str) -> None:
    x = np.zeros(64, np.float32)
    o = np.full(8, offset, np.uint32)
    done = run("    Gather(z, x, o, 0, 8);", {"x": x, "o": o}, {"z": ((8,), "float32")}, toolchain=toolchain)
    assert code in done.codes, done.diagnostics


@pytest.mark.parametrize(("pattern", "chosen"), [(1, "0::2"), (2, "1::2"), (3, "0::4"), (6, "3::4"), (7, "0::1")])
def test_gather_mask_builtin_patterns(toolchain: SimulatorToolchain, pattern: int, chosen: str) -> None:
    x = np.arange(256, dtype=np.float32)
    start, step = (int(v) for v in chosen.split("::"))
    body = (
        "    Duplicate(z, -1.0f, 256);\n    uint64_t kept = 0;\n"
        f"    GatherMask(z, x, {pattern}, false, 0, {{1, 4, 8, 0}}, kept);\n    n.SetValue(0, (int32_t)kept);"
    )
    done = run(body, {"x": x}, {"z": ((256,), "float32"), "n": ((1,), "int32")}, toolchain=toolchain)
    assert done.completed, done.diagnostics
    expected = x[start::step]
    assert done.outputs["n"][0] == expected.size
    assert np.array_equal(done.outputs["z"][: expected.size], expected)
    assert np.all(done.outputs["z"][expected.size :] == -1)


def test_gather_mask_by_tensor_counts_elements_per_repeat(toolchain: SimulatorToolchain) -> None:
    x = np.arange(256, dtype=np.float32)
    bits = np.random.default_rng(72).integers(0, 2, 256, dtype=np.uint8).astype(bool)
    pattern = np.packbits(bits, bitorder="little").view(np.uint32)
    body = (
        "    uint64_t kept = 0;\n    GatherMask(z, x, p, true, 100, {1, 1, 0, 0}, kept);\n"
        "    n.SetValue(0, (int32_t)kept);"
    )
    done = run(body, {"x": x, "p": pattern}, {"z": ((256,), "float32"), "n": ((1,), "int32")}, toolchain=toolchain)
    expected = x[:100][bits[:100]]
    assert done.outputs["n"][0] == expected.size and np.array_equal(done.outputs["z"][: expected.size], expected)


def test_brcb_spreads_an_element_over_a_block(toolchain: SimulatorToolchain) -> None:
    x = np.arange(16, dtype=np.float32)
    done = run("    Brcb(z, x, 2, {1, 8});", {"x": x}, {"z": ((128,), "float32")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"].reshape(16, 8), np.repeat(x, 8).reshape(16, 8))


def test_copy_with_strides_and_mask(toolchain: SimulatorToolchain) -> None:
    x = np.arange(256, dtype=np.int32)
    body = "    Duplicate(z, (int32_t)-1, 256);\n    Copy(z, x, 60, 2, {1, 2, 8, 16});"
    done = run(body, {"x": x}, {"z": ((256,), "int32")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    expected = np.full(256, -1, np.int32)
    for r in range(2):
        for i in range(60):
            expected[64 * r + i] = x[128 * r + 16 * (i // 8) + i % 8]
    assert np.array_equal(done.outputs["z"], expected)


def test_copy_in_counter_mode_counts_per_repeat(toolchain: SimulatorToolchain) -> None:
    x = np.arange(256, dtype=np.int32)
    body = (
        "    Duplicate(z, (int32_t)-1, 256);\n    SetMaskCount();\n    Copy(z, x, 20, 2, {1, 1, 8, 8});\n"
        "    SetMaskNorm();\n    ResetMask();"
    )
    done = run(body, {"x": x}, {"z": ((256,), "int32")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    expected = np.full(256, -1, np.int32)
    expected[:20], expected[64:84] = x[:20], x[64:84]
    assert np.array_equal(done.outputs["z"], expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int16", "int32", "float32"])
def test_duplicate(toolchain: SimulatorToolchain, dtype: str) -> None:
    kind = DType(dtype).ascendc
    lanes = 256 // DType(dtype).itemsize
    body = (
        f"    {kind} a = 3, b = -5;\n    Duplicate(z, a, 300);\n"
        f"    uint64_t mask = 4;\n    Duplicate(z, b, mask, 2, 1, 8);"
    )
    done = run(body, {}, {"z": ((300,), dtype)}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    expected = np.full(300, 3)
    expected[:4] = expected[lanes : lanes + 4] = -5
    assert np.array_equal(done.outputs["z"].astype(np.float32), expected.astype(np.float32))


@pytest.mark.parametrize("dtype", ["float16", "int16", "int32", "float32"])
def test_create_vec_index(toolchain: SimulatorToolchain, dtype: str) -> None:
    body = f"    CreateVecIndex(z, ({DType(dtype).ascendc})5, 300);"
    done = run(body, {}, {"z": ((300,), dtype)}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"], np.arange(5, 305).astype(dtype))
