"""Whole kernels: pipelines over queues, several blocks, tails, reductions and casts; right values and no hazard."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from agentkernel.testing.simulate import simulate
from agentkernel.toolchains.simulator import SimulatorToolchain

ADD = """#include "kernel_operator.h"
using namespace AscendC;
constexpr int32_t BUFFER_NUM = 2;
constexpr uint32_t TILE = 512;
class KernelAdd {
public:
    __aicore__ inline KernelAdd() {}
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total, TPipe* pipe) {
        uint32_t each = (total + GetBlockNum() - 1) / GetBlockNum();
        each = (each + 15) / 16 * 16;
        uint32_t start = each * GetBlockIdx();
        length = start >= total ? 0 : (start + each > total ? total - start : each);
        xGm.SetGlobalBuffer((__gm__ half*)x + start, length);
        yGm.SetGlobalBuffer((__gm__ half*)y + start, length);
        zGm.SetGlobalBuffer((__gm__ half*)z + start, length);
        pipe->InitBuffer(inX, BUFFER_NUM, TILE * sizeof(half));
        pipe->InitBuffer(inY, BUFFER_NUM, TILE * sizeof(half));
        pipe->InitBuffer(outZ, BUFFER_NUM, TILE * sizeof(half));
    }
    __aicore__ inline void Process() {
        for (uint32_t at = 0; at < length; at += TILE) {
            uint32_t n = length - at < TILE ? length - at : TILE;
            CopyIn(at, n);
            Compute(n);
            CopyOut(at, n);
        }
    }
private:
    __aicore__ inline void CopyIn(uint32_t at, uint32_t n) {
        LocalTensor<half> x = inX.AllocTensor<half>();
        LocalTensor<half> y = inY.AllocTensor<half>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(n * sizeof(half)), 0, 0, 0};
        DataCopyPadExtParams<half> pad{false, 0, 0, 0};
        DataCopyPad(x, xGm[at], copy, pad);
        DataCopyPad(y, yGm[at], copy, pad);
        inX.EnQue(x);
        inY.EnQue(y);
    }
    __aicore__ inline void Compute(uint32_t n) {
        LocalTensor<half> x = inX.DeQue<half>();
        LocalTensor<half> y = inY.DeQue<half>();
        LocalTensor<half> z = outZ.AllocTensor<half>();
        Add(z, x, y, n);
        outZ.EnQue<half>(z);
        inX.FreeTensor(x);
        inY.FreeTensor(y);
    }
    __aicore__ inline void CopyOut(uint32_t at, uint32_t n) {
        LocalTensor<half> z = outZ.DeQue<half>();
        DataCopyExtParams copy{1, static_cast<uint32_t>(n * sizeof(half)), 0, 0, 0};
        DataCopyPad(zGm[at], z, copy);
        outZ.FreeTensor(z);
    }
    TQue<QuePosition::VECIN, BUFFER_NUM> inX, inY;
    TQue<QuePosition::VECOUT, BUFFER_NUM> outZ;
    GlobalTensor<half> xGm, yGm, zGm;
    uint32_t length;
};
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace) {
    TPipe pipe;
    KernelAdd op;
    op.Init(x, y, z, TOTAL, &pipe);
    op.Process();
}
"""


@pytest.mark.parametrize("n", [1, 1000, 16384])
def test_add_over_blocks_and_tiles(toolchain: SimulatorToolchain, n: int) -> None:
    rng = np.random.default_rng(90)
    x, y = (rng.standard_normal(n).astype(np.float16) for _ in range(2))
    done = simulate(ADD.replace("TOTAL", str(n)), {"x": x, "y": y}, {"z": ((n,), "float16")}, blocks=4,
                    toolchain=toolchain)  # fmt: skip
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"], x + y)
    assert done.estimate is not None and done.estimate.kernel_us > 0


def test_a_forgotten_queue_wait_is_a_hazard_at_its_line(toolchain: SimulatorToolchain) -> None:
    broken = ADD.replace("outZ.EnQue<half>(z);", "held = z;")
    broken = broken.replace("LocalTensor<half> z = outZ.DeQue<half>();", "LocalTensor<half> z = held;")
    broken = broken.replace("uint32_t length;\n", "uint32_t length;\n    LocalTensor<half> held;\n")
    n = 4096
    x = np.ones(n, np.float16)
    done = simulate(broken.replace("TOTAL", str(n)), {"x": x, "y": x}, {"z": ((n,), "float16")}, blocks=1,
                    toolchain=toolchain)  # fmt: skip
    assert "missing-sync" in done.codes, done.diagnostics
    line = next(i for i, text in enumerate(broken.splitlines(), 1) if "DataCopyPad(zGm[at], z, copy);" in text)
    assert line in done.lines


SOFTMAX = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
    constexpr uint32_t ROWS = 8, COLS = 100, PITCH = 104;
    TPipe pipe;
    GlobalTensor<float> xGm, yGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, ROWS * COLS);
    yGm.SetGlobalBuffer((__gm__ float*)y, ROWS * COLS);
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> workBuf, scalarBuf;
    pipe.InitBuffer(in, 1, ROWS * PITCH * sizeof(float));
    pipe.InitBuffer(out, 1, ROWS * PITCH * sizeof(float));
    pipe.InitBuffer(workBuf, 256);
    pipe.InitBuffer(scalarBuf, 32);
    LocalTensor<float> work = workBuf.Get<float>();
    LocalTensor<float> one = scalarBuf.Get<float>();
    LocalTensor<float> tile = in.AllocTensor<float>();
    DataCopyPad(tile, xGm, {ROWS, COLS * sizeof(float), 0, 0, 0}, {true, 0, PITCH - COLS, 0.0f});
    in.EnQue(tile);
    tile = in.DeQue<float>();
    LocalTensor<float> result = out.AllocTensor<float>();
    for (uint32_t r = 0; r < ROWS; ++r) {
        LocalTensor<float> row = tile[r * PITCH];
        LocalTensor<float> to = result[r * PITCH];
        ReduceMax(one, row, work, COLS, false);
        float peak = one.GetValue(0);
        Adds(to, row, -peak, COLS);
        Exp(to, to, COLS);
        ReduceSum(one, to, work, COLS);
        float total = one.GetValue(0);
        Muls(to, to, 1.0f / total, COLS);
    }
    out.EnQue(result);
    in.FreeTensor(tile);
    result = out.DeQue<float>();
    DataCopyPad(yGm, result, {ROWS, COLS * sizeof(float), 0, 0, 0});
    out.FreeTensor(result);
}
"""


def test_softmax_of_rows_that_are_no_multiple_of_a_block(toolchain: SimulatorToolchain) -> None:
    x = np.random.default_rng(91).uniform(-5, 5, (8, 100)).astype(np.float32)
    done = simulate(SOFTMAX, {"x": x}, {"y": ((8, 100), "float32")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    wide = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    assert np.allclose(done.outputs["y"], wide / wide.sum(axis=1, keepdims=True), rtol=1e-6)


CASTS = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR i, GM_ADDR workspace) {
    constexpr uint32_t N = 1024;
    TPipe pipe;
    GlobalTensor<bfloat16_t> xGm, yGm;
    GlobalTensor<int32_t> iGm;
    xGm.SetGlobalBuffer((__gm__ bfloat16_t*)x, N);
    yGm.SetGlobalBuffer((__gm__ bfloat16_t*)y, N);
    iGm.SetGlobalBuffer((__gm__ int32_t*)i, N);
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 2> out;
    TBuf<TPosition::VECCALC> calc;
    pipe.InitBuffer(in, 1, N * sizeof(bfloat16_t));
    pipe.InitBuffer(out, 2, N * sizeof(int32_t));
    pipe.InitBuffer(calc, N * sizeof(float));
    LocalTensor<bfloat16_t> b = in.AllocTensor<bfloat16_t>();
    DataCopy(b, xGm, N);
    in.EnQue(b);
    b = in.DeQue<bfloat16_t>();
    LocalTensor<float> f = calc.Get<float>();
    LocalTensor<bfloat16_t> r = out.AllocTensor<bfloat16_t>();
    LocalTensor<int32_t> n = out.AllocTensor<int32_t>();
    Cast(f, b, RoundMode::CAST_NONE, N);
    Muls(f, f, 3.0f, N);
    Cast(r, f, RoundMode::CAST_RINT, N);
    Cast(n, f, RoundMode::CAST_FLOOR, N);
    out.EnQue(r);
    out.EnQue(n);
    in.FreeTensor(b);
    r = out.DeQue<bfloat16_t>();
    DataCopy(yGm, r, N);
    n = out.DeQue<int32_t>();
    DataCopy(iGm, n, N);
    out.FreeTensor(r);
    out.FreeTensor(n);
}
"""


def test_bfloat16_computes_through_float(toolchain: SimulatorToolchain) -> None:
    x = np.random.default_rng(92).uniform(-50, 50, 1024).astype(ml_dtypes.bfloat16)
    outputs = {"y": ((1024,), "bfloat16"), "i": ((1024,), "int32")}
    done = simulate(CASTS, {"x": x}, outputs, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    wide = x.astype(np.float32) * np.float32(3)
    assert np.array_equal(done.outputs["y"], wide.astype(ml_dtypes.bfloat16))
    assert np.array_equal(done.outputs["i"], np.floor(wide).astype(np.int32))
