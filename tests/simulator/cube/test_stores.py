"""Out of L0C: layouts, matrices, atomic sums, the DataCopy forms and their registers, and what is refused."""

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
constexpr int32_t M = 32, N = 64, K = 16;
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR e, GM_ADDR s, GM_ADDR z, GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GlobalTensor<half> gx, ge;
    GlobalTensor<int64_t> gs;
    GlobalTensor<@OUT@> gz;
    gx.SetGlobalBuffer((__gm__ half*)x, M * K);
    ge.SetGlobalBuffer((__gm__ half*)e, K * N);
    gs.SetGlobalBuffer((__gm__ int64_t*)s, N);
    gz.SetGlobalBuffer((__gm__ @OUT@*)z);
    LocalTensor<half> a2(TPosition::A2, 0, M * K), b2(TPosition::B2, 0, K * N);
    LocalTensor<float> product(TPosition::CO1, 0, M * N);
    LocalTensor<int64_t> s1(TPosition::A1, 0, N);
    LocalTensor<@OUT@> out(TPosition::A1, 4096, 8192);
    LoadData(a2, gx, LoadData2DParams(0, M * K / 256, 1, 0, 0, false, 0));
    LoadData(b2, ge, LoadData2DParams(0, K * N / 256, 1, 0, 0, false, 0));
    DataCopy(s1, gs, N);
    SetFlag<HardEvent::MTE2_FIX>(0);
    WaitFlag<HardEvent::MTE2_FIX>(0);
    SetFlag<HardEvent::MTE2_M>(0);
    WaitFlag<HardEvent::MTE2_M>(0);
    MmadParams p;
    p.m = M, p.n = N, p.k = K;
    Mmad(product, a2, b2, p);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    FixpipeParamsV220 f(N, M, M, N, false);
    DataCopyCO12DstParams d(N, M, N, M, QuantMode_t::NoQuant, 0, false, true);
    @BODY@
}
"""
X = ((np.arange(512) * 37 % 101) - 50).reshape(32, 16).astype(np.float16)
E = ((np.arange(1024) * 11 % 31) - 15).reshape(16, 64).astype(np.float16)
C = X.astype(np.float64) @ E.astype(np.float64)
SCALES = 2.0 ** -(2 + np.arange(64) % 3)
SIGNED = 1 << 46


def run(body: str, shape: tuple[int, ...], toolchain: SimulatorToolchain, out: str = "float") -> Simulation:
    source = KERNEL.replace("@OUT@", out).replace("@BODY@", body)
    names = {"float": "float32", "half": "float16", "int8_t": "int8"}
    inputs: dict[str, NDArray[Any]] = {
        "x": fractals(X, 16, 16),
        "e": fractals(E, 16, 16, by_columns=True),
        "s": SCALES.astype(np.float32).view(np.uint32).astype(np.int64) | SIGNED,
    }
    return simulate(source, inputs, {"z": (shape, names[out])}, toolchain=toolchain)


def check(done: Simulation, expected: NDArray[Any]) -> None:
    assert done.completed and not done.diagnostics, done.diagnostics
    np.testing.assert_array_equal(done.outputs["z"].astype(np.float64).reshape(-1), expected.reshape(-1))


def test_rows_with_a_pitch(toolchain: SimulatorToolchain) -> None:
    body = "f.dstStride = 80; Fixpipe(gz, product, f); f.nSize = 16; Fixpipe(gz[64], product, f);"
    check(run(body, (32, 80), toolchain), np.concatenate([C, C[:, :16]], axis=1))


def test_part_of_a_product(toolchain: SimulatorToolchain) -> None:
    body = "f.nSize = 19, f.mSize = 5, f.dstStride = 19; Fixpipe(gz, product[16 * M], f);"
    check(run(body, (5, 19), toolchain), C[:5, 16:35])


def test_columns_of_sixteen(toolchain: SimulatorToolchain) -> None:
    done = run("f.dstStride = M * 64 / 32; Fixpipe<float, float, CFG_NZ>(gz, product, f);", (32, 64), toolchain)
    check(done, C.reshape(32, 4, 16).transpose(1, 0, 2))


def test_channels_are_split_for_float(toolchain: SimulatorToolchain) -> None:
    body = "f.dstStride = M, f.isChannelSplit = true; Fixpipe<float, float, CFG_NZ>(gz, product, f);"
    check(run(body, (32, 64), toolchain), columns_of_blocks(C.astype(np.float32)))


def test_channels_are_merged_for_bytes(toolchain: SimulatorToolchain) -> None:
    body = f"""f.dstStride = M, f.quantPre = QuantMode_t::QF322B8_PRE, f.deqScalar = 0x3d800000ull | {SIGNED}ull;
    Fixpipe<int8_t, float, CFG_NZ>(gz, product, f);"""
    check(
        run(body, (32, 64), toolchain, "int8_t"), columns_of_blocks(np.clip(np.rint(C / 16), -128, 127).astype(np.int8))
    )


def test_several_matrices(toolchain: SimulatorToolchain) -> None:
    """Two pairs of columns as two matrices: the second starts 2 x 32 rows of 64 bytes further on."""
    body = """f.nSize = 32, f.dstStride = 32, f.ndNum = 2, f.srcNdStride = 4, f.dstNdStride = M * 32;
    Fixpipe(gz, product, f);"""
    check(run(body, (2, 32, 32), toolchain), np.stack([C[:, :32], C[:, 32:]]))


def test_atomic_sums(toolchain: SimulatorToolchain) -> None:
    body = """Fixpipe(gz, product, f);
    PipeBarrier<PIPE_FIX>();
    SetAtomicAdd<float>();
    Fixpipe(gz, product, f);
    SetAtomicNone();"""
    check(run(body, (32, 64), toolchain), 2 * C)


def test_to_l1_and_on_to_global_memory(toolchain: SimulatorToolchain) -> None:
    body = """f.dstStride = M, f.quantPre = QuantMode_t::F322F16;
    Fixpipe<half, float, CFG_NZ>(out, product, f);
    SetFlag<HardEvent::FIX_MTE3>(0);
    WaitFlag<HardEvent::FIX_MTE3>(0);
    DataCopy(gz, out, M * N);"""
    check(run(body, (32, 64), toolchain, "half"), columns_of_blocks(C.astype(np.float16)))


def test_data_copy_out_of_a_product(toolchain: SimulatorToolchain) -> None:
    check(run("SetFixpipeNz2ndFlag(1, 1, 1); DataCopy(gz, product, d);", (32, 64), toolchain), C)


def test_data_copy_takes_one_scale_from_a_register(toolchain: SimulatorToolchain) -> None:
    body = f"""d.quantPre = QuantMode_t::QF322B8_PRE, d.reluPre = 1;
    SetFixpipePreQuantFlag(0x3d800000ull | {SIGNED}ull);
    DataCopy(gz, product, d);"""
    expected = np.clip(np.rint(np.maximum(C, 0) / 16), -128, 127)
    check(run(body, (32, 64), toolchain, "int8_t"), expected)


def test_data_copy_takes_scales_of_columns_from_the_fixpipe_buffer(toolchain: SimulatorToolchain) -> None:
    body = """LocalTensor<uint64_t> buffer(TPosition::C2PIPE2GM, 0, N), wide = s1.ReinterpretCast<uint64_t>();
    DataCopy(buffer, wide, DataCopyParams(1, N * 8 / 128, 0, 0));
    SetFixPipeConfig(buffer);
    d.quantPre = QuantMode_t::VQF322B8_PRE;
    DataCopy(gz, product, d);"""
    check(run(body, (32, 64), toolchain, "int8_t"), np.clip(np.rint(C * SCALES), -128, 127))


REFUSED = [
    pytest.param(
        "f.quantPre = QuantMode_t::F322F16; Fixpipe(gz, product, f);", "illegal-argument", "NoQuant", id="quant"
    ),
    pytest.param(
        "f.nSize = 24; Fixpipe<float, float, CFG_NZ>(gz, product, f);", "illegal-argument", "nSize", id="width"
    ),
    pytest.param("f.mSize = 9000; Fixpipe(gz, product, f);", "illegal-argument", "mSize", id="height"),
    pytest.param("Fixpipe(gz, a2.ReinterpretCast<float>(), f);", "illegal-position", "CO1", id="position"),
    pytest.param("f.mSize = 48; Fixpipe(gz, product, f);", "out-of-bounds", "", id="extent"),
    pytest.param("f.unitFlag = 1; Fixpipe(gz, product, f);", "illegal-argument", "unitFlag", id="flag"),
]


@pytest.mark.parametrize(("body", "code", "word"), REFUSED)
def test_what_a_store_must_not_do(body: str, code: str, word: str, toolchain: SimulatorToolchain) -> None:
    done = run(body, (32, 64), toolchain)
    found = [d for d in done.diagnostics if d.code == code]
    assert found and any(word in f"{d.message} {d.hint}" for d in found)


@pytest.mark.parametrize(
    ("statement", "api"),
    [
        pytest.param("Mmad(product, a2, s1, p);", "Mmad", id="mmad"),
        pytest.param("Fixpipe(gs, product, f);", "Fixpipe", id="fixpipe"),
        pytest.param("LoadData(s1, gs, LoadData2DParams());", "LoadData", id="load"),
    ],
)
def test_other_types_do_not_compile(statement: str, api: str, toolchain: SimulatorToolchain) -> None:
    done = run(statement, (32, 64), toolchain)
    assert not done.compiled and done.codes == ("dtype-not-supported",)
    assert api in done.diagnostics[0].apis
