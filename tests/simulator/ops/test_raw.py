"""Raw intrinsics: they walk and compute as the API of the same instruction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agentkernel.dtypes import DType
from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import codes_by_statement, run

P = "(__ubuf__ %s*)%s.GetPhyAddr()"


def ptr(dtype: str, name: str) -> str:
    return P % (DType(dtype).ascendc, name)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_block_and_pair_reductions(toolchain: SimulatorToolchain, dtype: str) -> None:
    per = 256 // np.dtype(dtype).itemsize
    block = per // 8
    x = np.random.default_rng(97).integers(-8, 8, 2 * per).astype(dtype)
    z, s = ptr(dtype, "{}"), ptr(dtype, "x")
    calls = {"add": "vcgadd", "top": "vcgmax", "low": "vcgmin", "pair": "vcpadd"}
    body = "\n".join(f"    {call}({z.format(out)}, {s}, 2, 1, 1, 8);" for out, call in calls.items())
    outputs = {out: ((per if out == "pair" else 16,), dtype) for out in calls}
    done = run("    ResetMask();\n" + body, {"x": x}, outputs, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    blocks = x.reshape(16, block)
    assert np.array_equal(done.outputs["add"], blocks.sum(1).astype(dtype))
    assert np.array_equal(done.outputs["top"], blocks.max(1))
    assert np.array_equal(done.outputs["low"], blocks.min(1))
    assert np.array_equal(done.outputs["pair"], x.reshape(per, 2).sum(1).astype(dtype))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(("call", "pick"), [("vcmax", np.argmax), ("vcmin", np.argmin)])
def test_extremes_with_their_index(toolchain: SimulatorToolchain, dtype: str, call: str, pick: Any) -> None:
    per = 256 // np.dtype(dtype).itemsize
    x = np.random.default_rng(98).integers(-8, 8, 2 * per).astype(dtype)
    body = (
        f"    ResetMask();\n    {call}({ptr(dtype, 'z')}, {ptr(dtype, 'x')}, 2, 1, 1, 8, VALUE_INDEX);\n"
        f"    {call}({ptr(dtype, 'w')}, {ptr(dtype, 'x')}, 2, 1, 1, 8, ONLY_VALUE);"
    )
    done = run(body, {"x": x}, {"z": ((4,), dtype), "w": ((2,), dtype)}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    where = pick(x.reshape(2, per), axis=1)
    pairs = done.outputs["z"].reshape(2, 2)
    assert np.array_equal(pairs[:, 0], x.reshape(2, per)[[0, 1], where])
    assert np.array_equal(pairs[:, 1].copy().view(f"u{x.itemsize}"), where)
    assert np.array_equal(done.outputs["w"], pairs[:, 0])


@pytest.mark.parametrize("dtype", ["int16", "uint16", "int32", "uint32"])
def test_shifts(toolchain: SimulatorToolchain, dtype: str) -> None:
    info = np.iinfo(dtype)
    x = np.random.default_rng(99).integers(info.min, info.max, 128, dtype=dtype, endpoint=True)
    repeats = 128 * x.itemsize // 256
    tail = f"{repeats}, 1, 1, 8, 8"
    body = (
        f"    ResetMask();\n    vshl({ptr(dtype, 'left')}, {ptr(dtype, 'x')}, 3, {tail});\n"
        f"    vshr({ptr(dtype, 'right')}, {ptr(dtype, 'x')}, 3, {tail}, false);\n"
        f"    vshr({ptr(dtype, 'rounded')}, {ptr(dtype, 'x')}, 3, {tail}, true);"
    )
    outputs = {name: ((128,), dtype) for name in ("left", "right", "rounded")}
    done = run(body, {"x": x}, outputs, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    left = x << 3
    if info.min < 0:  # the sign stays
        left = (left & info.max) | (x & np.array(info.min, dtype))
    assert np.array_equal(done.outputs["left"], left)
    assert np.array_equal(done.outputs["right"], x >> 3)
    carry = (x >> 2) & 1 if info.min < 0 else np.zeros_like(x)
    assert np.array_equal(done.outputs["rounded"], (x >> 3) + carry)


@pytest.mark.parametrize(("bits", "dtype"), [(8, "uint8"), (16, "int16"), (32, "float32")])
def test_aligned_loads_count_bytes_in_global_memory(toolchain: SimulatorToolchain, bits: int, dtype: str) -> None:
    x = np.arange(1, 129).astype(dtype)
    size = x.itemsize
    value = np.array(7, dtype)
    raw = int(value.view(f"u{size}"))
    body = (
        f"    set_mov_pad_val({raw}ull);\n    copy_gm_to_ubuf_align_b{bits}({ptr(dtype, 'z')}, xGm, 0, 3, "
        f"{5 * size}, 1, 2, {3 * size}, 1);"
    )
    per = 32 // size  # elements of a block
    landed = -(-8 // per) * per
    pitch = landed + per
    n = 2 * pitch + landed
    clear = f"    Duplicate(z.ReinterpretCast<int16_t>(), (int16_t)0, {n * size // 2});\n    PipeBarrier<PIPE_ALL>();\n"
    done = run(clear + body, {"x": x}, {"z": ((n,), dtype)}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    got = done.outputs["z"]
    for i in range(3):
        block = np.concatenate([[7], x[8 * i : 8 * i + 5], [7] * (landed - 6)]).astype(dtype)
        assert np.array_equal(got[i * pitch : i * pitch + landed], block)


@pytest.mark.parametrize(("bits", "dtype"), [(8, "uint8"), (16, "int16"), (32, "float32")])
def test_aligned_stores(toolchain: SimulatorToolchain, bits: int, dtype: str) -> None:
    x = np.arange(1, 129).astype(dtype)
    size = x.itemsize
    body = (
        f"    PipeBarrier<PIPE_ALL>();\n    copy_ubuf_to_gm_align_b{bits}((__gm__ void*)yGm, {ptr(dtype, 'x')}, 0, 2, "
        f"{3 * size}, 0, 0, 1, {2 * size});\n    PipeBarrier<PIPE_ALL>();\n    DataCopyPad(y, yGlobal, "
        f"DataCopyExtParams(1, {3 * size}, 0, 0, 0), DataCopyPadExtParams<{DType(dtype).ascendc}>(false, 0, 0, 0));\n"
        f"    PipeBarrier<PIPE_ALL>();\n    DataCopyPad(z, yGlobal[5], DataCopyExtParams(1, {3 * size}, 0, 0, 0), "
        f"DataCopyPadExtParams<{DType(dtype).ascendc}>(false, 0, 0, 0));"
    )
    outputs = {"y": ((3,), dtype), "z": ((3,), dtype)}
    body = body.replace("yGm", "wGm").replace("yGlobal", "wGlobal")
    outputs["w"] = ((16,), dtype)
    body += f"\n    PipeBarrier<PIPE_ALL>();\n    Duplicate(w.ReinterpretCast<int16_t>(), (int16_t)0, {8 * size});"
    done = run(body, {"x": x}, outputs, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    per = 32 // size
    assert np.array_equal(done.outputs["y"], x[:3])
    assert np.array_equal(done.outputs["z"], x[2 * per : 2 * per + 3])


@pytest.mark.parametrize("form", ["count", "mask", "bits"])
def test_implementation_names_fill_and_store(toolchain: SimulatorToolchain, form: str) -> None:
    fill = {
        "count": "DuplicateImpl(p, 2.5f, 64);",
        "mask": "uint64_t m = 64; DuplicateImpl(p, 2.5f, m, 1, 1, 8);",
        "bits": "uint64_t m[2] = {~0ull, 0}; DuplicateImpl(p, 2.5f, m, 1, 1, 8);",
    }[form]
    body = (
        f"    __ubuf__ float* p = {ptr('float32', 'z')};\n    {fill}\n    PipeBarrier<PIPE_ALL>();\n"
        "    DataCopyUB2GMImpl((__gm__ float*)wGm, p, DataCopyParams(2, 2, 2, 0));\n    PipeBarrier<PIPE_ALL>();\n"
        "    DataCopy(w, wGlobal, 32);"
    )
    outputs = {"z": ((64,), "float32"), "w": ((32,), "float32")}
    done = run(body, {"x": np.zeros(8, np.float32)}, outputs, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert set(done.outputs["z"]) == {2.5} and set(done.outputs["w"]) == {2.5}


X = {"x": np.zeros(128, np.float32)}
OUT = {"z": ((128,), "float32")}


def test_misuse_is_named(toolchain: SimulatorToolchain) -> None:
    z, x = ptr("float32", "z"), ptr("float32", "x")
    cases = {
        f"vcgadd({z} + 1, {x}, 1, 1, 1, 8);": "misaligned-address",
        f"vcpadd({z} + 1, {x}, 1, 1, 1, 8);": "misaligned-address",
        f"vcmax({z} + 1, {x}, 1, 1, 1, 8, VALUE_INDEX);": "misaligned-address",
        f"copy_gm_to_ubuf_align_b32({z}, xGm, 0, 1, 6, 0, 0, 0, 0);": "copy-range",
        f"copy_gm_to_ubuf_align_b32({z}, xGm, 0, 1, 8, 9, 0, 0, 0);": "copy-range",
        f"copy_gm_to_ubuf_align_b32({z}, xGm, 0, 4096, 4, 0, 0, 0, 0);": "copy-range",
        f"copy_ubuf_to_gm_align_b32(zGm, {x} + 1, 0, 1, 8, 0, 0, 0, 0);": "misaligned-address",
    }
    found = codes_by_statement(tuple(cases), X, OUT, before="    ResetMask();", toolchain=toolchain)
    for (statement, code), codes in zip(cases.items(), found, strict=True):
        assert code in codes, (statement, codes)
    done = run(f"    copy_gm_to_ubuf_align_b32({z}, xGm, 0, 1, 1024, 0, 0, 0, 0);", X, OUT, toolchain=toolchain)
    assert "gm-out-of-bounds" in done.codes
