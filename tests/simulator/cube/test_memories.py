"""Memories of the cube core: ND to NZ, capacities, sparse weights, registers of pipes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agentkernel.testing.simulate import Simulation, simulate
from agentkernel.toolchains.simulator import SimulatorToolchain

from .test_loads import columns_of_blocks, fractals

KERNEL = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GlobalTensor<half> gx, gz;
    gx.SetGlobalBuffer((__gm__ half*)x, @ELEMENTS@);
    gz.SetGlobalBuffer((__gm__ half*)z);
    @BODY@
}
"""
LOCAL = "LocalTensor<half> a1(TPosition::A1, 0, 8192);"
STORE = """SetFlag<HardEvent::MTE2_MTE3>(0);
    WaitFlag<HardEvent::MTE2_MTE3>(0);
    DataCopy(gz, a1, @ELEMENTS@);"""


def run(body: str, x: NDArray[Any], elements: int, toolchain: SimulatorToolchain) -> Simulation:
    text = KERNEL.replace("@BODY@", body).replace("DataCopy(gz, a1, @ELEMENTS@)", f"DataCopy(gz, a1, {elements})")
    return simulate(
        text.replace("@ELEMENTS@", str(x.size)), {"x": x}, {"z": ((elements,), "float16")}, toolchain=toolchain
    )


def check(done: Simulation, expected: NDArray[Any]) -> None:
    assert done.completed and not done.diagnostics, done.diagnostics
    np.testing.assert_array_equal(done.outputs["z"], expected.reshape(-1))


def numbers(*shape: int) -> NDArray[np.float16]:
    return (np.arange(np.prod(shape)) % 997).reshape(shape).astype(np.float16)


def test_rows_become_columns_of_blocks_and_the_last_is_filled_with_zeros(toolchain: SimulatorToolchain) -> None:
    x = numbers(16, 40)
    body = f"{LOCAL} DataCopy(a1, gx, Nd2NzParams(1, 16, 40, 0, 40, 16, 1, 0)); {STORE}"
    check(run(body, x, 16 * 48, toolchain), columns_of_blocks(np.pad(x, ((0, 0), (0, 8)))))


def test_several_matrices_and_every_other_row(toolchain: SimulatorToolchain) -> None:
    """Two matrices of 8 rows x 16, each with a free row between two in L1."""
    x = numbers(2, 8, 16)
    body = f"""{LOCAL}
    InitConstValue(a1, InitConstValueParams<half>(1, 32, 0, (half)7));
    PipeBarrier<PIPE_MTE2>();
    DataCopy(a1, gx, Nd2NzParams(2, 8, 16, 128, 16, 16, 2, 256)); {STORE}"""
    expected = np.full((2, 16, 16), 7, np.float16)
    expected[:, ::2] = x
    check(run(body, x, 512, toolchain), expected)


def test_blocks_with_gaps(toolchain: SimulatorToolchain) -> None:
    x = numbers(8, 32)
    body = f"{LOCAL} DataCopy(a1, gx[16], DataCopyParams(8, 1, 1, 0)); {STORE}"
    check(run(body, x, 128, toolchain), x[:, 16:])


@pytest.mark.parametrize(
    ("position", "bytes_"), [("A1", 524288), ("A2", 65536), ("B2", 65536), ("CO1", 131072), ("C2", 1024)]
)
def test_every_memory_has_its_size(position: str, bytes_: int, toolchain: SimulatorToolchain) -> None:
    body = f"TPipe pipe; TBuf<TPosition::{position}> buffer; pipe.InitBuffer(buffer, {{}}); gz.SetValue(0, (half)1);"
    x = numbers(16)
    assert "memory-overflow" not in run(body.format(bytes_), x, 16, toolchain).codes
    assert run(body.format(bytes_ + 32), x, 16, toolchain).codes[0] == "memory-overflow"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        pytest.param("DataCopy(a1[8], gx, 64);", "misaligned-address", id="alignment"),
        pytest.param("DataCopy(a1, gx, Nd2NzParams(1, 16, 40, 0, 40, 16, 0, 0));", "illegal-argument", id="row-stride"),
        pytest.param("LocalTensor<half> b(TPosition::B1, 0, 64); DataCopy(b, a1, 64);", "illegal-position", id="l1-l1"),
        pytest.param("DataCopy(a1, gx, 640); DataCopy(gz, a1, 640);", "missing-sync", id="order"),
        pytest.param(
            "DataCopyPad(a1, gx, DataCopyExtParams(1, 64, 0, 0, 0), DataCopyPadExtParams<half>(false, 0, 0, (half)0));",
            "illegal-position",
            id="pad",
        ),
        pytest.param("DataCopy(gz, a1, 640);", "uninitialised-read", id="nothing-there"),
    ],
)  # fmt: skip
def test_what_is_refused(body: str, code: str, toolchain: SimulatorToolchain) -> None:
    assert code in run(LOCAL + body, numbers(16, 40), 640, toolchain).codes


def test_a_pipe_on_a_cube_core_keeps_three_events(toolchain: SimulatorToolchain) -> None:
    """Until it is destroyed, ids 0 to 2 of M_MTE1 belong to the matmul library."""
    body = """TPipe pipe;
    gz.SetValue(0, (half)pipe.AllocEventID<HardEvent::M_MTE1>());
    @MORE@
    SetFlag<HardEvent::M_MTE1>(0);
    WaitFlag<HardEvent::M_MTE1>(0);"""
    x = numbers(16)
    taken = run(body.replace("@MORE@", ""), x, 16, toolchain)
    assert "flag-already-set" in taken.codes
    free = run(body.replace("@MORE@", "pipe.Destroy();"), x, 16, toolchain)
    assert "flag-already-set" not in free.codes and free.outputs["z"][0] == 3


SPARSE = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR w, GM_ADDR i, GM_ADDR z, GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GlobalTensor<int8_t> gx, gw;
    GlobalTensor<uint8_t> gi;
    GlobalTensor<int32_t> gz;
    gx.SetGlobalBuffer((__gm__ int8_t*)x), gw.SetGlobalBuffer((__gm__ int8_t*)w);
    gi.SetGlobalBuffer((__gm__ uint8_t*)i), gz.SetGlobalBuffer((__gm__ int32_t*)z);
    LocalTensor<int8_t> a2(TPosition::A2, 0, 2048), b1(TPosition::B1, 0, 1024), b2(TPosition::B2, 0, 1024);
    LocalTensor<uint8_t> index(TPosition::B1, 1024, 256);
    LocalTensor<int32_t> product(TPosition::CO1, 0, 512);
    LoadData(a2, gx, LoadData2DParams(0, 2, 1, 0, 0, false, 0));
    DataCopy(b1, gw, 1024);
    DataCopy(index, gi, 256);
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    LoadDataWithSparse(b2, b1, index, LoadData2DParams(0, 2, 1, 0, 0, false, 0));
    SetFlag<HardEvent::MTE2_M>(0);
    WaitFlag<HardEvent::MTE2_M>(0);
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    MmadParams p;
    p.m = 16, p.n = 32, p.k = 64;
    MmadWithSparse(product, a2, b2, p);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    Fixpipe(gz, product, FixpipeParamsV220(32, 16, 16, 32, false));
}
"""


def test_sparse_weights(toolchain: SimulatorToolchain) -> None:
    """Of every four weights along k two are kept; their index says which."""
    random = np.random.default_rng(1)
    a = random.integers(-9, 10, (16, 64)).astype(np.int8)
    first = random.integers(0, 3, (16, 32))  # groups of four x columns
    second = np.array([[random.integers(f + 1, 4) for f in row] for row in first])
    kept = random.integers(1, 10, (16, 2, 32)).astype(np.int8)
    b = np.zeros((16, 4, 32), np.int64)
    for g in range(16):
        for n in range(32):
            b[g, first[g, n], n], b[g, second[g, n], n] = kept[g, 0, n], kept[g, 1, n]
    bits = np.stack([first, second - 1], axis=1).reshape(32, 32).T.reshape(32, 8, 4)
    packed = np.bitwise_or.reduce(bits << (2 * np.arange(4)), axis=2).astype(np.uint8)
    inputs = {
        "x": fractals(a, 16, 32),
        "w": fractals(kept.reshape(32, 32), 32, 16, by_columns=True),
        "i": packed.reshape(-1),
    }
    done = simulate(SPARSE, inputs, {"z": ((16, 32), "int32")}, toolchain=toolchain)
    assert done.completed and not done.diagnostics, done.diagnostics
    np.testing.assert_array_equal(done.outputs["z"], a.astype(np.int64) @ b.reshape(64, 32))
