"""Quantisation and sorting against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.toolchains.simulator import SimulatorToolchain
from tests.simulator.ops.harness import codes_by_statement, run

H = np.float16


def quantised(x: NDArray[Any], scale: Any, offset: Any) -> NDArray[Any]:
    """Every step in half, rounded half to even, saturated."""
    y = ((x.astype(H) * np.asarray(scale, H)).astype(H) + np.asarray(offset, H)).astype(H)
    return np.clip(np.rint(y.astype(np.float32)), -128, 127).astype(np.int8)


def test_quantising_is_half_arithmetic_with_one_scale_or_one_a_column(toolchain: SimulatorToolchain) -> None:
    rng = np.random.default_rng(1)
    x, h = rng.uniform(-90, 90, 128).astype(np.float32), rng.uniform(-40, 40, 128).astype(H)
    scale, offset = rng.uniform(0.2, 3, 64).astype(H), rng.uniform(-5, 5, 64).astype(H)
    body = """
    AscendQuant(one, x, 1.7f, -3.3f, 128);
    AscendQuant<half>(rows, h, s, o, 64, 64, 128);
    AscendQuant(mixed, h, s, half(2), 64, 128);"""
    done = run(
        body, {"x": x, "h": h, "s": scale, "o": offset},
        {n: ((128,), "int8") for n in ("one", "rows", "mixed")}, toolchain=toolchain,
    )  # fmt: skip
    assert done.completed and not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["one"], quantised(x, 1.7, -3.3))
    assert np.array_equal(done.outputs["rows"], quantised(h, np.tile(scale, 2), np.tile(offset, 2)))
    assert np.array_equal(done.outputs["mixed"], quantised(h, np.tile(scale, 2), 2))


def test_dequantising_multiplies_in_float(toolchain: SimulatorToolchain) -> None:
    rng = np.random.default_rng(2)
    x = rng.integers(-10000, 10000, (4, 16)).astype(np.int32)
    scale = rng.uniform(0.001, 0.1, 16).astype(np.float32)
    packed = scale.view(np.uint32).astype(np.uint64)
    body = """
    AscendDequant(f, x, s, DequantParams{4, 16, 16});
    AscendDequant(h, x, p.ReinterpretCast<uint64_t>(), DequantParams{4, 16, 16});
    AscendDequant(all, x, 0.5f, DequantParams{4, 16, 16});
    AscendDequant(flat, x, s, 64);"""
    outputs = {"f": ((4, 16), "float32"), "h": ((4, 16), "float16")}
    outputs |= {n: ((4, 16), "float32") for n in ("all", "flat")}
    done = run(body, {"x": x, "s": scale, "p": packed.view(np.int32)}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    expected = x.astype(np.float32) * scale
    assert np.array_equal(done.outputs["f"], expected) and np.array_equal(done.outputs["flat"], expected)
    assert np.array_equal(done.outputs["h"], expected.astype(H))
    assert np.array_equal(done.outputs["all"], x.astype(np.float32) * np.float32(0.5))


def test_anti_quantising_adds_the_offset_first(toolchain: SimulatorToolchain) -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(-128, 128, (32, 32)).astype(np.int8)
    scale, offset = rng.uniform(0.1, 2, 32).astype(H), rng.uniform(-9, 9, 32).astype(H)
    body = """
    AscendAntiQuant<int8_t, half, false>(columns, x, o, s, 32);
    AscendAntiQuant<int8_t, half, true>(rows, x, o, s, 32);
    AscendAntiQuant<int8_t, half, false>(one, x, half(3), half(0.5), 32);"""
    outputs = {n: ((32, 32), "float16") for n in ("columns", "rows", "one")}
    done = run(body, {"x": x, "s": scale, "o": offset}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    wide = x.astype(H)
    assert np.array_equal(done.outputs["columns"], ((wide + offset).astype(H) * scale).astype(H))
    assert np.array_equal(done.outputs["rows"], ((wide + offset[:, None]).astype(H) * scale[:, None]).astype(H))
    assert np.array_equal(done.outputs["one"], ((wide + H(3)).astype(H) * H(0.5)).astype(H))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_sorting_is_descending_and_stable(toolchain: SimulatorToolchain, dtype: str) -> None:
    kind = {"float32": "float", "float16": "half"}[dtype]
    x = np.random.default_rng(4).integers(-9, 9, 96).astype(dtype)
    x[5] = np.inf
    x[70] = np.nan
    index = np.arange(100, 196, dtype=np.int32)
    body = f"""
    LocalTensor<{kind}> scores, work = workBuffer.Get<{kind}>();
    LocalTensor<uint32_t> in = i.ReinterpretCast<uint32_t>(), out = w.ReinterpretCast<uint32_t>();
    Concat(scores, x, work, 3);
    Sort<{kind}, true>(work, scores, in, work2, 3);
    Extract(v, out, work, 3);
    Sort<{kind}, false>(work, scores, in, work2, 3);
    Extract(parts, w2.ReinterpretCast<uint32_t>(), work, 3);"""
    body = f"    TBuf<TPosition::VECCALC> more; pipe.InitBuffer(more, 1024);\n" \
        f"    LocalTensor<{kind}> work2 = more.Get<{kind}>();" + body  # fmt: skip
    outputs = {"v": ((96,), dtype), "w": ((96,), "int32"), "parts": ((96,), dtype), "w2": ((96,), "int32")}
    done = run(body, {"x": x, "i": index}, outputs, scratch=1024, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    key = np.where(np.isnan(x), np.inf, x.astype(np.float64))
    rank = np.where(np.isnan(x), 1, 0)
    order = np.lexsort((np.arange(96), -key, -rank))
    assert np.array_equal(done.outputs["v"], x[order], equal_nan=True)
    assert np.array_equal(done.outputs["w"], index[order])
    for at in range(0, 96, 32):
        part = np.lexsort((np.arange(32), -key[at : at + 32], -rank[at : at + 32])) + at
        assert np.array_equal(done.outputs["w2"][at : at + 32], index[part])


def test_rows_that_were_masked_out_are_replaced(toolchain: SimulatorToolchain) -> None:
    x = np.random.default_rng(5).uniform(size=(3, 16)).astype(np.float32)
    top = np.repeat(np.array([1.0, -np.inf, 2.0], np.float32)[:, None], 8, axis=1)
    body = """
    bool hit = AdjustSoftMaxRes<float, float>(x, m, 0xFF800000, 7.0f, {3, 16, 3, 16});
    bool none = AdjustSoftMaxRes<float, float>(x, m, 0x12345678, 7.0f, {3, 16, 3, 16});
    Adds(z, x, 0.0f, 48);
    Duplicate(f, hit && !none ? 1.0f : 0.0f, 8);"""
    done = run(body, {"x": x, "m": top}, {"z": ((3, 16), "float32"), "f": ((8,), "float32")}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    x[1] = 7
    assert np.array_equal(done.outputs["z"], x) and done.outputs["f"].all()


BROKEN = {
    "AscendQuant(b, x, x, 0.0f, 16, 64);": {"count-alignment"},
    "AscendQuant(b, x, x, x, 32, 64, 64);": {"illegal-argument"},
    "AscendDequant(z, i, x, DequantParams{2, 12, 12});": {"count-alignment"},
    "AscendDequant(z, i, x, DequantParams{2, 16, 17});": {"count-range"},
    "AscendAntiQuant<int8_t, half, false>(h, c, half(0), half(1), 24);": {"count-alignment"},
    "Sort<float, true>(z, x, u, x, 256);": {"repeat-range"},
    "Extract(z, u, x, -1);": {"repeat-range"},
    "Sort<float, false>(z, x, u, x, 9);": {"out-of-bounds"},
}


def test_rules_of_counts(toolchain: SimulatorToolchain) -> None:
    inputs = {"x": np.ones(512, np.float32), "i": np.ones(512, np.int32), "c": np.ones(512, np.int8)}
    outputs = {"z": ((512,), "float32"), "b": ((512,), "int8"), "h": ((512,), "float16")}
    before = "    LocalTensor<uint32_t> u = i.ReinterpretCast<uint32_t>();"
    found = codes_by_statement(list(BROKEN), inputs, outputs, before=before, toolchain=toolchain)
    assert dict(zip(BROKEN, found, strict=True)) == BROKEN
