"""Raw intrinsics that move by index, pattern or bits, and those of the scalar unit's registers and flags."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import codes_by_statement, run
from .test_raw import ptr

BITS = {"uint16": 16, "uint32": 32}


def packed(bits: NDArray[np.bool_], size: int = 32) -> NDArray[np.uint8]:
    """Bits as bytes, first bit lowest, padded to `size` bytes."""
    found = np.zeros(size, np.uint8)
    raw = np.packbits(bits, bitorder="little")
    found[: raw.size] = raw
    return found


@pytest.mark.parametrize("dtype", BITS)
def test_vbrcb_spreads_elements_over_blocks(toolchain: SimulatorToolchain, dtype: str) -> None:
    x = np.arange(1, 17).astype(dtype)
    per = 32 // x.itemsize
    done = run(
        f"    vbrcb({ptr(dtype, 'z')}, {ptr(dtype, 'x')}, 1, 8, 2);",
        {"x": x},
        {"z": ((16 * per,), dtype)},
        toolchain=toolchain,
    )
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"], np.repeat(x, per))


@pytest.mark.parametrize("dtype", BITS)
@pytest.mark.parametrize("base", ["relative", "absolute"])
def test_vgather_adds_offsets_to_an_address(toolchain: SimulatorToolchain, dtype: str, base: str) -> None:
    x = np.arange(300).astype(dtype)
    lanes = 256 // x.itemsize
    where = np.random.default_rng(11).integers(0, 300, lanes)
    address = "(uint32_t)(uint64_t)x.GetPhyAddr()"
    start = f"    Duplicate(w.ReinterpretCast<int16_t>(), (int16_t)0, {lanes * x.itemsize // 2});\n"
    if base == "absolute":  # with base 0 the words themselves are addresses in UB
        start += f"    Adds(o, o, (int32_t){address}, {lanes});\n"
        address = "0"
    source = f"(__ubuf__ uint32_t*)o.GetPhyAddr(), {address}, 8, 1"
    body = (
        f"{start}    PipeBarrier<PIPE_V>();\n    ResetMask();\n    vgather({ptr(dtype, 'z')}, {source});\n"
        f"    set_vector_mask(0, 5);\n    vgather({ptr(dtype, 'w')}, {source});"
    )
    offsets = (where * x.itemsize).astype(np.int32)
    outputs = {"z": ((lanes,), dtype), "w": ((lanes,), dtype)}
    done = run(body, {"x": x, "o": offsets}, outputs, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"], x[where])
    expected = np.zeros(lanes, dtype)
    expected[[0, 2]] = x[where[[0, 2]]]
    assert np.array_equal(done.outputs["w"], expected)


def test_vgatherb_moves_blocks(toolchain: SimulatorToolchain) -> None:
    x = np.arange(256, dtype=np.uint32)
    order = np.random.default_rng(12).permutation(16)
    body = (
        "    vgatherb((__ubuf__ uint32_t*)z.GetPhyAddr(), (__ubuf__ uint32_t*)o.GetPhyAddr(), "
        "(uint32_t)(uint64_t)x.GetPhyAddr(), 8, 1, 2);"
    )
    done = run(body, {"x": x, "o": (order * 32).astype(np.uint32)}, {"z": ((128,), "uint32")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"].reshape(16, 8), x.reshape(32, 8)[order])


@pytest.mark.parametrize(("pattern", "start", "step"), [(1, 0, 2), (2, 1, 2), (3, 0, 4), (6, 3, 4), (7, 0, 1)])
@pytest.mark.parametrize("dtype", BITS)
def test_vreducev2_by_pattern(toolchain: SimulatorToolchain, dtype: str, pattern: int, start: int, step: int) -> None:
    x = np.arange(1, 1 + 2 * 256 // np.dtype(dtype).itemsize).astype(dtype)
    kept = x[start::step]
    body = (
        f"    vreducev2({ptr(dtype, 'z')}, {ptr(dtype, 'x')}, {ptr(dtype, 'x')}, 2, 1, {pattern}, 8, 0);\n"
        "    SetFlag<HardEvent::V_S>(0); WaitFlag<HardEvent::V_S>(0);\n"
        "    n.SetValue(0, (int32_t)AscendCUtils::GetRsvdCnt());"
    )
    done = run(body, {"x": x}, {"z": ((kept.size,), dtype), "n": ((1,), "int32")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"], kept) and done.outputs["n"][0] == kept.size


def test_vreducev2_by_bits_in_counter_mode(toolchain: SimulatorToolchain) -> None:
    x = np.arange(1, 129, dtype=np.uint32)
    bits = np.random.default_rng(13).random(128) < 0.5
    body = (
        "    set_mask_count();\n    set_vector_mask(0, 100);\n"
        f"    vreducev2({ptr('uint32', 'z')}, {ptr('uint32', 'x')}, {ptr('uint32', 'p')}, 1, 1, 0, 0, 0);\n"
        "    m.SetValue(0, (int32_t)(get_ctrl() >> 56 & 1));\n    set_mask_norm();"
    )
    kept = x[:100][bits[:100]]
    outputs = {"z": ((kept.size,), "uint32"), "m": ((1,), "int32")}
    done = run(body, {"x": x, "p": packed(bits).view(np.uint32)}, outputs, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"], kept)
    assert done.outputs["m"][0] == 1  # the instruction leaves the mode alone


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_vsel_takes_its_bits_from_register_or_memory(toolchain: SimulatorToolchain, dtype: str) -> None:
    lanes = 256 // np.dtype(dtype).itemsize
    rng = np.random.default_rng(14)
    x, y = (rng.integers(-8, 8, 2 * lanes).astype(dtype) for _ in range(2))
    bits = rng.random(2 * lanes) < 0.5
    seven = np.zeros(32 // x.itemsize, dtype)
    seven[0] = 7
    operands = "{}, 2, 1, 1, 1, 8, 8, 8, {}"

    def select(out: str, second: str, mode: int) -> str:
        return f"    vsel({ptr(dtype, out)}, {ptr(dtype, 'x')}, {operands.format(second, mode)});\n"

    set_mask = "    set_cmpmask((__ubuf__ void*){}.GetPhyAddr());\n    pipe_barrier(PIPE_V);\n"
    body = (
        "    ResetMask();\n"
        + set_mask.format("b")
        + select("register_bits", ptr(dtype, "y"), 0)
        + "    get_cmpmask((__ubuf__ void*)back.GetPhyAddr());\n    pipe_barrier(PIPE_V);\n"
        + set_mask.format("seven")
        + select("scalar", "(__ubuf__ void*)b.GetPhyAddr()", 1)
        + "    at.SetValue(0, (uint32_t)(uint64_t)b.GetPhyAddr());\n"
        + "    set_flag(PIPE_S, PIPE_V, EVENT_ID0); wait_flag(PIPE_S, PIPE_V, EVENT_ID0);\n"
        + set_mask.format("at")
        + select("memory_bits", ptr(dtype, "y"), 2)
    )
    names = ("register_bits", "scalar", "memory_bits")
    outputs: dict[str, Any] = {name: ((2 * lanes,), dtype) for name in names} | {
        "back": ((16,), "uint8"),
        "at": ((8,), "uint32"),
    }
    inputs = {"x": x, "y": y, "b": packed(bits), "seven": seven}
    done = run(body, inputs, outputs, toolchain=toolchain)
    assert not [c for c in done.codes if c != "uninitialised-read"], done.diagnostics
    assert np.array_equal(done.outputs["register_bits"], np.where(np.tile(bits[:lanes], 2), x, y))
    assert np.array_equal(done.outputs["back"], packed(bits)[:16])
    assert np.array_equal(done.outputs["scalar"], np.where(bits, x, np.array(7, dtype)))
    assert np.array_equal(done.outputs["memory_bits"], np.where(bits, x, y))


def test_conversions_between_half_and_float(toolchain: SimulatorToolchain) -> None:
    x = np.random.default_rng(15).normal(size=128).astype(np.float32)
    h = x.astype(np.float16)
    body = (
        f"    ResetMask();\n    vconv_f322f16({ptr('float16', 'z')}, {ptr('float32', 'x')}, 2, 1, 1, 4, 8);\n"
        f"    vconv_f162f32({ptr('float32', 'w')}, {ptr('float16', 'h')}, 2, 1, 1, 8, 4);"
    )
    outputs = {"z": ((128,), "float16"), "w": ((128,), "float32")}
    done = run(body, {"x": x, "h": h}, outputs, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"], h)
    assert np.array_equal(done.outputs["w"], h.astype(np.float32))


@pytest.mark.parametrize(
    ("operation", "expected"), [("add", [5, -1, 8]), ("max", [3, 1, 4]), ("min", [2, -2, 4]), ("none", [2, -2, 4])]
)
@pytest.mark.parametrize(
    ("suffix", "dtype"), [("f32", "float32"), ("f16", "float16"), ("s16", "int16"), ("s32", "int32")]
)
def test_atomic_stores(
    toolchain: SimulatorToolchain, operation: str, expected: list[int], suffix: str, dtype: str
) -> None:
    per = 32 // np.dtype(dtype).itemsize
    x, y = np.zeros(per, dtype), np.zeros(per, dtype)
    x[:3], y[:3] = [3, 1, 4], [2, -2, 4]
    body = (
        f"    DataCopy(wGlobal, x, {per});\n    PipeBarrier<PIPE_ALL>();\n"
        f"    set_atomic_{suffix}();\n    set_atomic_{operation}();\n    DataCopy(wGlobal, y, {per});\n"
        f"    set_atomic_none();\n    PipeBarrier<PIPE_ALL>();\n    DataCopy(w, wGlobal, {per});"
    )
    done = run(body, {"x": x, "y": y}, {"w": ((per,), dtype)}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert done.outputs["w"][:3].tolist() == expected


def test_registers_and_bits(toolchain: SimulatorToolchain) -> None:
    body = (
        "    const uint64_t before = get_ctrl();\n    set_ctrl(sbitset0(before, 48));\n"
        "    z.SetValue(0, (int32_t)GetCtrlSpr<48, 48>());\n    set_ctrl(sbitset1(get_ctrl(), 48));\n"
        "    z.SetValue(1, (int32_t)GetCtrlSpr<48, 48>());\n    z.SetValue(2, get_ctrl() == (int64_t)before);\n"
        "    z.SetValue(3, (int32_t)get_subblockdim());\n    z.SetValue(4, (int32_t)sbitset1(5, 3));\n"
        "    z.SetValue(5, (int32_t)sbitset0(5, 2));"
    )
    done = run(body, {"x": np.zeros(8, np.float32)}, {"z": ((6,), "int32")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert done.outputs["z"].tolist() == [0, 1, 1, 1, 13, 1]


@pytest.mark.parametrize("call", ["dcci(wGm, 0)", "dcci(wGm, 0, 2)", "dcci(wGm, 1)", "dcci(wGm, 1, 2)"])
def test_dcci_writes_scalar_stores_back(toolchain: SimulatorToolchain, call: str) -> None:
    body = "    wGlobal.SetValue(1, 4.5f);\n    %s\n    PipeBarrier<PIPE_ALL>();\n    DataCopy(w, wGlobal, 8);"
    x, outputs = {"x": np.zeros(8, np.float32)}, {"w": ((8,), "float32")}
    done = run(body % f"{call};", x, outputs, toolchain=toolchain)
    assert not [c for c in done.codes if c != "uninitialised-read"], done.diagnostics
    assert done.outputs["w"][1] == 4.5


@pytest.mark.parametrize(
    "call", ["", "dcci((__ubuf__ void*)w.GetPhyAddr(), 0);", "dcci(wGm, 1, 1);", "dcci(wGm, 1, 3);"]
)
def test_dcci_of_something_else_leaves_the_store_in_the_cache(toolchain: SimulatorToolchain, call: str) -> None:
    body = f"    wGlobal.SetValue(1, 4.5f);\n    {call}\n    PipeBarrier<PIPE_ALL>();\n    DataCopy(w, wGlobal, 8);"
    x, outputs = {"x": np.zeros(8, np.float32)}, {"w": ((8,), "float32")}
    assert "dcache-not-flushed" in run(body, x, outputs, toolchain=toolchain).codes


def test_misuse_of_raw_picks_is_named(toolchain: SimulatorToolchain) -> None:
    z, x, words = ptr("uint32", "z"), ptr("uint32", "x"), "(__ubuf__ uint32_t*)o.GetPhyAddr()"
    base = "(uint32_t)(uint64_t)x.GetPhyAddr()"
    cases = {
        f"vbrcb({z}, {z}, 1, 8, 1);": "operand-overlap",
        f"vgather({x}, {words}, {base}, 8, 1);": "operand-overlap",
        f"vgather({z}, {words}, {base} - (1 << 30), 8, 1);": "gather-offset",
        f"vgatherb({z}, {words}, {base} - (1 << 30), 8, 1, 1);": "gather-offset",
        f"vreducev2({z} + 1, {x}, {x}, 1, 1, 1, 8, 0);": "misaligned-address",
        "uint64_t n = 0; GatherMask(z[4], x, 1, false, 0, {1, 1, 8, 0}, n);": "misaligned-address",
        f"vreducev2({z}, {x} + 1, {x}, 1, 1, 1, 8, 0);": "misaligned-address",
        f"vreducev2({z}, {x}, {x}, 1, 1, 8, 8, 0);": "illegal-argument",
        "ffts_cross_core_sync(PIPE_MTE3, 0x500);": "illegal-argument",
        "ffts_cross_core_sync(PIPE_ALL, 0x501);": "illegal-argument",
        "ffts_cross_core_sync(PIPE_MTE3, 0x531);": "illegal-argument",
    }
    inputs = {"x": np.zeros(128, np.uint32), "o": np.zeros(64, np.uint32)}
    found = codes_by_statement(
        tuple(cases), inputs, {"z": ((128,), "uint32")}, before="    ResetMask();", toolchain=toolchain
    )
    wrong = {s: codes for (s, code), codes in zip(cases.items(), found, strict=True) if code not in codes}
    assert not wrong


@pytest.mark.parametrize("mode", [1, 2])
def test_flags_inside_a_group_need_a_group(toolchain: SimulatorToolchain, mode: int) -> None:
    body = f"    ffts_cross_core_sync(PIPE_MTE3, 1 | {mode} << 4 | 5 << 8);"
    done = run(body, {"x": np.zeros(8, np.float32)}, {"z": ((8,), "float32")}, toolchain=toolchain)
    assert "illegal-argument" in done.codes
