"""Loads of operands, seen through a product with the identity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.testing.simulate import Simulation, simulate
from agentkernel.toolchains.simulator import SimulatorToolchain

KERNEL = """#include "kernel_operator.h"
using namespace AscendC;
using In = @IN@;
constexpr int32_t M = @M@, N = @N@, K = @K@, C0 = 32 / sizeof(In);
constexpr IsResetLoad3dConfig KEEP = {false, false};
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR e, GM_ADDR z, GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GlobalTensor<In> gx, ge;
    GlobalTensor<@ACC@> gz;
    gx.SetGlobalBuffer((__gm__ In*)x, @ELEMENTS@);
    ge.SetGlobalBuffer((__gm__ In*)e, @UNITS@);
    gz.SetGlobalBuffer((__gm__ @ACC@*)z, M * N);
    LocalTensor<In> x1(TPosition::A1, 0, 65536 / sizeof(In)), a2(TPosition::A2, 0, 65536 / sizeof(In));
    LocalTensor<In> b2(TPosition::B2, 0, 65536 / sizeof(In));
    LocalTensor<@ACC@> product(TPosition::CO1, 0, 32768);
    DataCopy(x1, gx, @ELEMENTS@);
    LoadData(@OTHER@2, ge, LoadData2DParams(0, @UNITS@ * sizeof(In) / 512, 1, 0, 0, false, 0));
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    SetFlag<HardEvent::MTE2_M>(0);
    WaitFlag<HardEvent::MTE2_M>(0);
    @BODY@
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    MmadParams p;
    p.m = M, p.n = N, p.k = K;
    @PARAMS@
    Mmad(product, a2, b2, p);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    Fixpipe(gz, product, FixpipeParamsV220(N, M, (M + 15) / 16 * 16, N, false));
}
"""


def fractals(matrix: NDArray[Any], rows: int, columns: int, *, by_columns: bool = False) -> NDArray[Any]:
    """Fractals of rows x columns, row by row of fractals, each by rows or by columns."""
    m, n = matrix.shape
    cut = matrix.reshape(m // rows, rows, n // columns, columns).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(cut.transpose(0, 1, 3, 2) if by_columns else cut).reshape(-1)


def columns_of_blocks(matrix: NDArray[Any]) -> NDArray[Any]:
    """NZ: columns of 32 bytes, one below the other."""
    m, n = matrix.shape
    c0 = 32 // matrix.dtype.itemsize
    return np.ascontiguousarray(matrix.reshape(m, n // c0, c0).transpose(1, 0, 2)).reshape(-1)


def seen(
    body: str,
    x: NDArray[Any],
    shape: tuple[int, int],
    toolchain: SimulatorToolchain,
    *,
    right: bool = False,
    params: str = "",
) -> Simulation:
    """Runs `body`, which loads x1 into a2 (or b2), and multiplies with the identity; z has the operand's shape."""
    rows, columns = shape
    side = rows if right else columns
    c0 = 32 // x.dtype.itemsize
    depth = -(-side // 16) * 16 if x.dtype.itemsize == 4 and params else side
    unit = np.eye(depth, dtype=x.dtype)
    identity = fractals(unit, 16, c0) if right else fractals(unit, c0, 16, by_columns=True)
    accumulate = "int32_t" if x.dtype == np.int8 else "float"
    values = {
        "IN": DType.from_numpy(x.dtype).ascendc, "M": rows, "N": columns, "K": side, "ACC": accumulate,
        "ELEMENTS": x.size, "UNITS": identity.size, "OTHER": "a" if right else "b", "BODY": body, "PARAMS": params,
    }  # fmt: skip
    text = KERNEL
    for name, value in values.items():
        text = text.replace(f"@{name}@", str(value))
    outputs = {"z": (shape, "int32" if accumulate == "int32_t" else "float32")}
    return simulate(text, {"x": x.reshape(-1), "e": identity}, outputs, toolchain=toolchain)


def numbers(*shape: int, dtype: str = "float16") -> NDArray[Any]:
    values = np.arange(np.prod(shape)) * 7 % 201 - 100
    return values.reshape(shape).astype(dtype)


def check(done: Simulation, expected: NDArray[Any]) -> None:
    assert done.completed and not done.diagnostics, done.diagnostics
    np.testing.assert_array_equal(done.outputs["z"], expected.astype(done.outputs["z"].dtype))


LOADS = [
    pytest.param("LoadData2DParams(0, 4, 1, 0, 0, false, 0)", [0, 1, 2, 3], id="one-after-the-other"),
    pytest.param("LoadData2DParams(2, 4, 2, 0, 0, false, 0)", [2, 4, 6, 8], id="start-and-stride"),
    pytest.param("LoadData2DParams(1, 4, 0, 0, 0, false, 0)", [1, 1, 1, 1], id="the-same"),
    pytest.param("LoadData2DParams(9, 4, 3, 0, 0, false, 1)", [9, 6, 3, 0], id="backwards"),
]


@pytest.mark.parametrize(("params", "chosen"), LOADS)
def test_fractals_are_chosen(params: str, chosen: list[int], toolchain: SimulatorToolchain) -> None:
    x = numbers(10, 16, 16)
    expected = np.concatenate([x[i] for i in chosen], axis=1)
    check(seen(f"LoadData(a2, x1, {params});", x, (16, 64), toolchain), expected)


def test_gaps_are_left(toolchain: SimulatorToolchain) -> None:
    x = numbers(4, 16, 16)
    body = """LoadData(a2, x1, LoadData2DParams(0, 2, 1, 0, 1, false, 0));
    LoadData(a2[256], x1, LoadData2DParams(2, 2, 1, 0, 1, false, 0));"""
    check(seen(body, x, (16, 64), toolchain), np.concatenate([x[i] for i in (0, 2, 1, 3)], axis=1))


@pytest.mark.parametrize("dtype", ["float16", "int8", "float32"])
def test_squares_are_transposed(dtype: str, toolchain: SimulatorToolchain) -> None:
    """A square of 32-bit elements is two fractals beside each other, of 8-bit elements two below each other."""
    side = 32 if dtype == "int8" else 16
    square = numbers(side, side, dtype=dtype)
    c0 = 32 // square.dtype.itemsize
    x = fractals(square, 16, c0)
    body = "LoadDataWithTranspose(a2, x1, LoadData2dTransposeParams(0, 1, 1, 0, 0, 0));"
    params = "p.kDirectionAlign = true;" if dtype == "float32" else ""
    check(seen(body, x, (side, side), toolchain, params=params), square.T)


def test_a_transposed_matrix_of_floats(toolchain: SimulatorToolchain) -> None:
    """B given by rows of n: no transposition is needed on the way to L0B."""
    b = numbers(48, 32, dtype="float32")  # k, n
    body = """for (int32_t i = 0; i < K / 8; ++i)
        LoadData(b2[i * 8 * N], x1[i * 8 * N], LoadData2DParams(0, N / 16, 1, 0, 0, false, 0));"""
    check(seen(body, columns_of_blocks(np.ascontiguousarray(b.T)), (48, 32), toolchain, right=True), b)


def test_one_row_is_a_plain_vector(toolchain: SimulatorToolchain) -> None:
    x = numbers(64)
    body = "LoadData(a2, x1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));"
    check(seen(body, np.resize(x, 256), (1, 64), toolchain), x[None])


def image_columns(x: NDArray[Any], kernel: int, stride: int, pad: int, value: float) -> NDArray[Any]:
    """(C1, H, W, C0) to the matrix of a convolution."""
    groups, _, _, c0 = x.shape
    padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)), constant_values=value)
    high, wide = ((size + 2 * pad - kernel) // stride + 1 for size in x.shape[1:3])
    rows = [
        padded[:, i * stride : i * stride + kernel, j * stride : j * stride + kernel, :].reshape(-1)
        for i in range(high)
        for j in range(wide)
    ]
    assert rows[0].size == groups * kernel * kernel * c0
    return np.stack(rows)


def three(x: NDArray[Any], filters: tuple[int, int, int], window: tuple[int, int, int, int], more: str = "") -> str:
    """Statements that set up `p3`: side, stride and padding of the filter; m start and extent, k start and extent."""
    kernel, stride, pad = filters
    values = (*x.shape[1:3], x.shape[0] * x.shape[3], window[3], window[1], window[2], window[0])
    numbers = ", ".join(map(str, (*values, stride, stride, kernel, kernel, 1, 1)))
    return f"""uint8_t pads[4] = {{{pad}, {pad}, {pad}, {pad}}};
    LoadData3DParamsV2<In> p3(pads, {numbers}, false, false, (In)5);
    {more}"""


@pytest.mark.parametrize(("kernel", "stride", "pad"), [(1, 1, 0), (3, 1, 1), (2, 2, 0), (3, 2, 1)])
def test_a_feature_map_becomes_a_matrix(kernel: int, stride: int, pad: int, toolchain: SimulatorToolchain) -> None:
    x = numbers(2, 8, 8, 16)
    matrix = image_columns(x, kernel, stride, pad, 5)
    rows, columns = 16, min(matrix.shape[1], 96)
    window = (0, rows, 0, columns)
    body = three(x, (kernel, stride, pad), window) + "LoadData(a2, x1, p3);"
    check(seen(body, x, (rows, columns), toolchain), matrix[:rows, :columns])


def test_a_window_of_the_matrix(toolchain: SimulatorToolchain) -> None:
    x = numbers(2, 8, 8, 16)
    body = three(x, (3, 1, 1), (16, 32, 32, 64)) + "LoadData(a2, x1, p3);"
    check(seen(body, x, (32, 64), toolchain), image_columns(x, 3, 1, 1, 5)[16:48, 32:96])


def test_repetitions_follow_each_other_along_the_rows(toolchain: SimulatorToolchain) -> None:
    x = numbers(2, 8, 8, 16)
    more = "SetLoadDataRepeat(LoadDataRepeatParam(2, 2, 0));"
    body = three(x, (3, 1, 1), (0, 16, 0, 48), more) + "LoadData(a2, x1, p3);"
    matrix = image_columns(x, 3, 1, 1, 5)
    check(seen(body, x, (32, 48), toolchain), np.concatenate([matrix[:16, :48], matrix[32:48, :48]]))


def test_registers_can_give_the_map_and_the_padding(toolchain: SimulatorToolchain) -> None:
    x = numbers(2, 8, 8, 16)
    more = """SetFmatrix(8, 8, pads, FmatrixMode::FMATRIX_LEFT);
    SetLoadDataPaddingValue<half>((half)-3);
    p3.l1H = 1, p3.l1W = 1;"""
    body = three(x, (3, 1, 1), (0, 16, 0, 48), more) + "LoadData<half, KEEP>(a2, x1, p3);"
    check(seen(body, x, (16, 48), toolchain), image_columns(x, 3, 1, 1, -3)[:16, :48])


def test_a_matrix_in_columns_of_blocks_becomes_a_right_operand(toolchain: SimulatorToolchain) -> None:
    """(K, N) in NZ is a map of height 1 and width K with N channels."""
    b = numbers(48, 32)
    body = """uint8_t pads[4] = {0, 0, 0, 0};
    LoadData3DParamsV2<In> p3(pads, 1, K, N, N, K, 0, 0, 1, 1, 1, 1, 1, 1, false, false, (In)0);
    LoadData(b2, x1, p3);"""
    check(seen(body, columns_of_blocks(b), (48, 32), toolchain, right=True), b)


def test_a_left_operand_can_be_transposed(toolchain: SimulatorToolchain) -> None:
    a = numbers(32, 48)
    body = """uint8_t pads[4] = {0, 0, 0, 0};
    LoadData3DParamsV2<In> p3(pads, 1, K, M, M, K, 0, 0, 1, 1, 1, 1, 1, 1, true, false, (In)0);
    LoadData(a2, x1, p3);"""
    check(seen(body, columns_of_blocks(np.ascontiguousarray(a.T)), (32, 48), toolchain), a)


@pytest.mark.parametrize("mode", ["NEAREST_EVEN", "NEAREST_ZERO"])
def test_hf32_keeps_eleven_bits_of_fraction(mode: str, toolchain: SimulatorToolchain) -> None:
    ties = (np.float32(1) + np.arange(256, dtype=np.float32) * np.float32(2**-12)).reshape(16, 16)
    body = f"""SetHF32Mode(HF32Mode::ENABLE);
    SetHF32TransMode(HF32TransMode::{mode});
    LoadData(a2, x1, LoadData2DParams(0, 2, 1, 0, 0, false, 0));"""
    steps = np.arange(256).reshape(16, 16) / 2
    rounded = np.rint(steps) if mode == "NEAREST_EVEN" else np.ceil(steps - 0.5)
    check(seen(body, fractals(ties, 16, 8), (16, 16), toolchain), 1 + rounded * 2.0**-11)


def test_constants_fill_fractals(toolchain: SimulatorToolchain) -> None:
    body = """InitConstValue(a2, InitConstValueParams<half>(2, 1, 1, (half)3));
    InitConstValue(a2[256], InitConstValueParams<half>(2, 1, 1, (half)-2));"""
    expected = np.repeat([3, -2, 3, -2], 16)[None, :].repeat(16, axis=0)
    check(seen(body, numbers(16, 16), (16, 64), toolchain), expected)


REJECTED = [
    pytest.param(
        "LoadData(a2, x1, LoadData2DParams(0, 1, 1, 0, 0, true, 0))", "int8", "illegal-argument", id="transpose"
    ),
    pytest.param("LoadData(x1, a2, LoadData2DParams(0, 1, 1, 0, 0, false, 0))", "float16", "illegal-position", id="up"),
    pytest.param(
        "LoadData(a2[8], x1, LoadData2DParams(0, 1, 1, 0, 0, false, 0))", "float16", "misaligned-address", id="at"
    ),
    pytest.param(
        "LoadData(a2, x1, LoadData2DParams(0, 200, 1, 0, 0, false, 0))", "float16", "out-of-bounds", id="many"
    ),
    pytest.param("p3.mExtension = 8; LoadData(a2, x1, p3)", "float16", "illegal-argument", id="extension"),
    pytest.param("p3.kExtension = 320; LoadData(a2, x1, p3)", "float16", "illegal-argument", id="columns"),
    pytest.param("p3.enSmallK = true; LoadData(a2, x1, p3)", "float16", "unsupported-api", id="small-k"),
]


@pytest.mark.parametrize(("statement", "dtype", "code"), REJECTED)
def test_what_a_load_must_not_do(statement: str, dtype: str, code: str, toolchain: SimulatorToolchain) -> None:
    x = numbers(2, 8, 8, 32 // np.dtype(dtype).itemsize, dtype=dtype)
    done = seen(
        three(x, (3, 1, 1), (0, 16, 0, 48)) + statement + ";", x, (16, 48 if dtype == "float16" else 32), toolchain
    )
    assert code in done.codes
