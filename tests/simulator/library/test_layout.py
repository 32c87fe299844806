"""TopK, DropOut, Pad, UnPad and the changes of layout against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.toolchains.simulator import SimulatorToolchain
from tests.simulator.ops.harness import run

KIND = {"float32": "float", "float16": "half", "int32": "int32_t", "uint16": "uint16_t"}
Array = NDArray[Any]


def top(x: Array, k: int, largest: bool) -> tuple[Array, Array]:
    """Values and places of the first k of each row; NaN first, equal values in their order."""
    keys = x.astype(np.float64) * (-1 if largest else 1)
    keys[np.isnan(keys)] = -np.inf
    order = np.argsort(keys, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(x, order, 1), order


def up(n: int, to: int) -> int:
    return -(-n // to) * to


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("largest", [True, False])
def test_top_k_of_rows(toolchain: SimulatorToolchain, dtype: str, largest: bool) -> None:
    rows, inner, n, k = 3, 96, 90, 5
    x = np.random.default_rng(5).integers(-9, 9, (rows, inner)).astype(dtype)
    x[1, 7] = np.nan
    value_row, index_row = up(k, 32 // x.itemsize), up(k, 8)
    body = f"""    TopkTiling t; TopKInfo info{{{rows}, {inner}, {n}}}; LocalTensor<int32_t> none; LocalTensor<bool> no;
    Duplicate(v, {KIND[dtype]}(0), {rows * value_row}); Duplicate(i, int32_t(-1), {rows * index_row});
    TopK<{KIND[dtype]}>(v, i, x, none, no, {k}, t, info, {str(largest).lower()});"""
    outputs = {"v": ((rows, value_row), dtype), "i": ((rows, index_row), "int32")}
    done = run(body, {"x": x}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    values, places = top(x[:, :n], k, largest)
    assert np.array_equal(done.outputs["v"][:, :k], values, equal_nan=True)
    assert np.array_equal(done.outputs["i"][:, :k], places) and (done.outputs["i"][:, k:] == -1).all()


def test_top_k_takes_indices_and_finished_rows(toolchain: SimulatorToolchain) -> None:
    rows, inner, k = 2, 64, 8
    x = np.random.default_rng(6).permutation(rows * inner).reshape(rows, inner).astype(np.float32)
    given = np.arange(inner, dtype=np.int32)[::-1].copy()
    body = f"""    TopkTiling t; TopKInfo info{{{rows}, {inner}, {inner}}};
    LocalTensor<bool> over = f.ReinterpretCast<bool>();
    TopK<float, true, true>(v, i, x, g, over, work, {k}, t, info);"""
    body = "    LocalTensor<uint8_t> work = workBuffer.Get<uint8_t>();\n" + body
    inputs = {"x": x, "g": given, "f": np.array([0, 1] + [0] * 30, np.uint8)}
    outputs = {"v": ((rows, k), "float32"), "i": ((rows, k), "int32")}
    done = run(body, inputs, outputs, scratch=2 * 8 * inner, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    values, places = top(x, k, True)
    assert np.array_equal(done.outputs["v"], values)
    assert np.array_equal(done.outputs["i"][0], given[places[0]]) and (done.outputs["i"][1] == inner).all()


def test_the_small_mode_has_indices_for_every_row(toolchain: SimulatorToolchain) -> None:
    x = np.random.default_rng(7).permutation(64).reshape(2, 32).astype(np.float16)
    given = np.arange(100, 164, dtype=np.int32)
    body = """    TopkTiling t; TopKInfo info{2, 32, 32}; LocalTensor<bool> no;
    TopK<half, true, false, false, TopKMode::TOPK_NSMALL>(v, i, x, g, no, 16, t, info);"""
    outputs = {"v": ((2, 16), "float16"), "i": ((2, 16), "int32")}
    done = run(body, {"x": x, "g": given}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    values, places = top(x, 16, True)
    assert np.array_equal(done.outputs["v"], values)
    assert np.array_equal(done.outputs["i"], given.reshape(2, 32)[np.arange(2)[:, None], places])


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize(("mode", "mask_row", "bits"), [(0, 64, False), (1, 96, False), (0, 8, True), (4, 32, True)])
def test_drop_out_keeps_what_the_mask_names(
    toolchain: SimulatorToolchain, dtype: str, mode: int, mask_row: int, bits: bool
) -> None:
    rows, columns, keep = 4, 64, 0.8
    rng = np.random.default_rng(8)
    x = rng.uniform(-5, 5, (rows, columns)).astype(dtype)
    kept = rng.integers(0, 2, (rows, columns)).astype(bool)
    mask = np.zeros((rows, mask_row), np.uint8)
    packed = np.packbits(kept, axis=1, bitorder="little") if bits else kept.astype(np.uint8)
    mask[:, : packed.shape[1]] = packed
    body = f"""    DropOutShapeInfo info;
    info.firstAxis = {rows}; info.srcLastAxis = {columns}; info.maskLastAxis = {mask_row};
    DropOut<{KIND[dtype]}, false, {mode}>(y, x, mask, {keep}f, info);"""
    done = run(body, {"x": x, "mask": mask}, {"y": ((rows, columns), dtype)}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    scale = x.dtype.type(np.float32(1) / np.float32(keep))
    assert np.array_equal(done.outputs["y"], np.where(kept, x * scale, x.dtype.type(0)))


@pytest.mark.parametrize("dtype", ["float32", "float16", "uint16", "int32"])
def test_pad_grows_rows_to_whole_blocks(toolchain: SimulatorToolchain, dtype: str) -> None:
    block = 32 // np.dtype(dtype).itemsize
    rows, used = 16, 2 * block - 3
    x = np.arange(rows * used).reshape(rows, used).astype(dtype)
    body = f"""    PadTiling t; t.srcHeight = {rows}; t.srcWidth = {used}; t.srcOriWidth = {used};
    PadParams p{{1, 2, 7}}; Pad(y, x, p, t);"""
    done = run(body, {"x": x}, {"y": ((rows, 2 * block), dtype)}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["y"], np.pad(x, ((0, 0), (1, 2)), constant_values=7))


def test_pad_fills_the_unused_end_of_whole_blocks_and_unpad_takes_it_off(toolchain: SimulatorToolchain) -> None:
    x = np.arange(64, dtype=np.float32).reshape(4, 16)
    body = """    PadTiling t; t.srcHeight = 4; t.srcWidth = 16; t.srcOriWidth = 13;
    PadParams p{0, 3, -2}; Pad(y, x, p, t);
    UnPadTiling u; u.srcHeight = 4; u.srcWidth = 16; UnPadParams q{0, 3}; UnPad(z, y, q, u);"""
    done = run(body, {"x": x}, {"y": ((4, 16), "float32"), "z": ((4, 13), "float32")}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    expected = x.copy()
    expected[:, 13:] = -2
    assert np.array_equal(done.outputs["y"], expected) and np.array_equal(done.outputs["z"], x[:, :13])


@pytest.mark.parametrize("fractal", [False, True])
def test_trans_data_and_back(toolchain: SimulatorToolchain, fractal: bool) -> None:
    n, c, d, h, w = (16, 20, 2, 2, 8) if fractal else (2, 20, 2, 2, 8)
    x = np.arange(n * c * d * h * w, dtype=np.uint16).reshape(n, c, d, h, w)
    other = "FRACTAL_Z_3D" if fractal else "NDC1HWC0"
    body = f"""    static constexpr TransDataConfig to{{DataFormat::NCDHW, DataFormat::{other}}};
    static constexpr TransDataConfig back{{DataFormat::{other}, DataFormat::NCDHW}};
    auto plain = MakeLayout(MakeShape({n}, {c}, {d}, {h}, {w}), MakeStride(0, 0, 0, 0, 0));
    TransDataParams<decltype(plain), decltype(plain)> p{{plain, plain}};
    TransData<to, uint16_t>(y, x, p); TransData<back, uint16_t>(z, y, p);"""
    groups = np.zeros((n, 32, d, h, w), np.uint16)
    groups[:, :c] = x
    split = groups.reshape(n, 2, 16, d, h, w)
    expected = split.transpose(0, 3, 1, 4, 5, 2) if not fractal else split.transpose(3, 1, 4, 5, 0, 2)
    outputs = {"y": (expected.shape, "uint16"), "z": (x.shape, "uint16")}
    done = run(body, {"x": x}, outputs, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["y"], expected) and np.array_equal(done.outputs["z"], x)


def nz(matrices: Array) -> Array:
    """[..., rows, columns] as columns of blocks 16 wide."""
    *lead, rows, columns = matrices.shape
    return np.moveaxis(matrices.reshape(*lead, rows, columns // 16, 16), -2, -3)


B, N, S, D = 2, 16, 32, 16
SCENES = ("TRANSPOSE_NZ2ND_0213", "TRANSPOSE_NZ2NZ_0213", "TRANSPOSE_NZ2NZ_012_WITH_N", "TRANSPOSE_NZ2ND_012_WITH_N")
SCENES += ("TRANSPOSE_NZ2ND_012_WITHOUT_N", "TRANSPOSE_NZ2NZ_012_WITHOUT_N")


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_scenes_of_heads(toolchain: SimulatorToolchain, scene: str, dtype: str) -> None:
    heads = np.random.default_rng(3).uniform(-1, 1, (B, N, S, D)).astype(dtype)[:1]
    merged = heads.transpose(0, 2, 1, 3).reshape(1, S, N * D)
    source = nz(merged) if "012_WITH_" in scene else nz(heads)
    target: Array = {
        "NZ2ND_0213": heads.transpose(0, 2, 1, 3),
        "NZ2NZ_0213": nz(heads.transpose(0, 2, 1, 3)),
        "NZ2NZ_012_WITH_N": nz(heads),
        "NZ2ND_012_WITH_N": heads,
        "NZ2ND_012_WITHOUT_N": merged,
        "NZ2NZ_012_WITHOUT_N": nz(merged),
    }[scene.removeprefix("TRANSPOSE_")]
    body = f"""    ConfusionTransposeTiling t; t.shape0 = 1; t.shape1 = {N}; t.shape2 = {S}; t.shape3 = {D};
    t.transposeType = static_cast<uint32_t>(TransposeType::{scene}); Transpose(y, x, TransposeType::{scene}, t);"""
    done = run(body, {"x": source.reshape(-1)}, {"y": ((heads.size,), dtype)}, toolchain=toolchain)
    assert done.completed and not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["y"], target.reshape(-1))


def test_the_plain_transposition(toolchain: SimulatorToolchain) -> None:
    x = np.arange(32 * 48, dtype=np.float32).reshape(32, 48)
    body = """    ConfusionTransposeTiling t; t.shape0 = 32; t.shape1 = 48; t.transposeType = 7;
    ConfusionTranspose(y, x, TransposeType::TRANSPOSE_ND2ND_ONLY, t);"""
    done = run(body, {"x": x}, {"y": ((48, 32), "float32")}, toolchain=toolchain)
    assert not done.codes and np.array_equal(done.outputs["y"], x.T), done.diagnostics
