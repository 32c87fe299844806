"""DataCopy that changes the layout on the way (ND -> NZ, NZ -> ND), and DataCopy with enhanced parameters."""

from __future__ import annotations

import numpy as np
import pytest

from agentkernel.dtypes import DType
from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import codes_by_statement, run


@pytest.mark.parametrize("dtype", ["int8", "uint8", "float16", "uint16", "float32", "int32"])
def test_rows_become_columns_of_blocks(toolchain: SimulatorToolchain, dtype: str) -> None:
    c0 = 32 // np.dtype(dtype).itemsize
    matrices, rows, columns, pitch = 2, 5, 2 * c0 + 3, 2 * c0 + 8
    x = np.arange(matrices * rows * pitch).astype(dtype)
    blocks = -(-columns // c0)
    column_stride, row_stride = 11, 2  # in blocks
    matrix_stride = blocks * column_stride * c0
    size = matrices * matrix_stride
    body = (
        f"    Duplicate(z.ReinterpretCast<int16_t>(), (int16_t)-1, {size * x.itemsize // 2});\n"
        f"    PipeBarrier<PIPE_ALL>();\n    DataCopy(z, xGlobal, Nd2NzParams({matrices}, {rows}, {columns}, "
        f"{rows * pitch}, {pitch}, {column_stride}, {row_stride}, {matrix_stride}));"
    )
    done = run(body, {"x": x}, {"z": ((size,), dtype)}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    expected = np.full(size * x.itemsize, 255, np.uint8).view(dtype)
    for m in range(matrices):
        for i in range(rows):
            for j in range(blocks * c0):  # the last block is filled up with zeros
                at = m * matrix_stride + j // c0 * column_stride * c0 + i * row_stride * c0 + j % c0
                expected[at] = x[(m * rows + i) * pitch + j] if j < columns else 0
    assert np.array_equal(done.outputs["z"].view(np.uint8), expected.view(np.uint8))


@pytest.mark.parametrize("dtype", ["int16", "float16", "float32", "uint32"])
def test_columns_of_fractals_become_rows(toolchain: SimulatorToolchain, dtype: str) -> None:
    matrices, rows, columns, pitch = 2, 5, 32, 40
    column_stride = 6  # in 16 elements
    x = np.arange(2 * 256).astype(dtype)
    z_matrix = rows * pitch
    body = (
        f"    InitOutput<{DType(dtype).ascendc}>(zGlobal, {2 * z_matrix}, ({DType(dtype).ascendc})0);\n"
        f"    PipeBarrier<PIPE_ALL>();\n    DataCopy(zGlobal, x, Nz2NdParamsFull({matrices}, {rows}, {columns}, 1, "
        f"{column_stride}, {pitch}, {z_matrix}));\n    PipeBarrier<PIPE_ALL>();\n"
        f"    DataCopy(z, zGlobal, {2 * z_matrix});"
    )
    done = run(body, {"x": x}, {"z": ((2 * z_matrix,), dtype)}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    expected = np.zeros((matrices, rows, pitch), dtype)
    for m in range(matrices):
        for i in range(rows):
            for j in range(columns):
                expected[m, i, j] = x[m * 256 + j // 16 * column_stride * 16 + i * 16 + j % 16]
    assert np.array_equal(done.outputs["z"], expected.ravel())


def test_enhanced_parameters_at_their_defaults_change_nothing(toolchain: SimulatorToolchain) -> None:
    x = np.arange(64, dtype=np.float32)
    body = (
        "    DataCopyEnhancedParams plain;\n    DataCopy(z, xGlobal, DataCopyParams(2, 2, 2, 0), plain);\n"
        "    PipeBarrier<PIPE_ALL>();\n    DataCopy(w, z, DataCopyParams(1, 4, 0, 0), plain);\n"
        "    PipeBarrier<PIPE_ALL>();\n    DataCopy(vGlobal, w, DataCopyParams(1, 4, 0, 0), plain);\n"
        "    PipeBarrier<PIPE_ALL>();\n    DataCopy(v, vGlobal, 32);"
    )
    outputs = {name: ((32,), "float32") for name in ("z", "w", "v")}
    done = run(body, {"x": x}, outputs, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    for name in outputs:
        assert np.array_equal(done.outputs[name], x.reshape(2, 2, 16)[:, 0].ravel())


def test_conversions_on_the_way_are_not_simulated(toolchain: SimulatorToolchain) -> None:
    body = (
        "    DataCopyEnhancedParams relu;\n    relu.isRelu = true;\n"
        "    DataCopy(z, xGlobal, DataCopyParams(1, 1, 0, 0), relu);"
    )
    done = run(body, {"x": np.zeros(8, np.float32)}, {"z": ((8,), "float32")}, toolchain=toolchain)
    assert "unsupported-api" in done.codes


X = {"x": np.zeros(512, np.float16)}
OUT = {"z": ((512,), "float16")}


def test_misuse_is_named(toolchain: SimulatorToolchain) -> None:
    load = "DataCopy(z, xGlobal, Nd2NzParams(%s));"
    store = "DataCopy(zGlobal, x, Nz2NdParamsFull(%s));"
    cases = {
        load % "1, 4, 16, 0, 16, 0, 1, 1": "copy-range",
        load % "1, 4, 16, 0, 0, 4, 1, 1": "copy-range",
        load % "1, 4, 16, 0, 16, 4, 0, 1": "copy-range",
        load % "4096, 4, 16, 0, 16, 4, 1, 1": "copy-range",
        load % "1, 4, 32, 0, 32, 40, 1, 1": "out-of-bounds",
        store % "1, 4, 24, 1, 4, 32, 1": "copy-range",
        store % "1, 0, 16, 1, 4, 32, 1": "copy-range",
        store % "1, 4, 32, 1, 40, 32, 1": "out-of-bounds",
    }
    found = codes_by_statement(tuple(cases), X, OUT, toolchain=toolchain)
    for (statement, code), codes in zip(cases.items(), found, strict=True):
        assert code in codes, (statement, codes)


def test_element_types_that_the_chip_lacks_are_rejected(toolchain: SimulatorToolchain) -> None:
    body = (
        "    GlobalTensor<int64_t> g;\n    LocalTensor<int64_t> l = z.ReinterpretCast<int64_t>();\n"
        "    DataCopy(l, g, Nd2NzParams());\n    DataCopy(g, l, Nz2NdParamsFull());"
    )
    done = run(body, X, OUT, toolchain=toolchain)
    assert not done.compiled and done.codes == ("dtype-not-supported",)
    assert [d.apis[0] for d in done.diagnostics if d.is_error] == ["DataCopy", "DataCopy"]


def test_a_layout_change_that_nothing_waits_for_is_a_hazard(toolchain: SimulatorToolchain) -> None:
    body = "    DataCopy(z, xGlobal, Nd2NzParams(1, 16, 32, 0, 32, 16, 1, 512));\n    Relu(z, z, 512);"
    done = run(body, X, OUT, toolchain=toolchain)
    assert {(d.apis[0], d.evidence["edge"]) for d in done.diagnostics if d.code == "missing-sync"} == {
        ("Relu", "MTE2->V")
    }
