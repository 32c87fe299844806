"""Queues over addresses that the program chooses."""

from __future__ import annotations

import numpy as np

from agentkernel.testing.simulate import simulate
from agentkernel.toolchains.simulator import SimulatorToolchain

HEAD = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace) {
    GlobalTensor<float> in, out;
    in.SetGlobalBuffer((__gm__ float*)x, 256);
    out.SetGlobalBuffer((__gm__ float*)z, 256);
"""
X = np.arange(256, dtype=np.float32)
QUEUES = """    TPipe pipe;
    TQue<TPosition::VECIN, 1> source;
    TQue<TPosition::VECOUT, 1> sink;
    pipe.InitBuffer(source, Std::make_tuple(4096, 512), Std::make_tuple(8192, 512));
    pipe.InitBuffer(sink, Std::tuple<uint32_t, uint32_t>(1024, 512));
    for (int i = 0; i < 2; ++i) {
        LocalTensor<float> a = source.AllocTensor<float>();
        DataCopy(a, in[128 * i], 128);
        source.EnQue(a);
        a = source.DeQue<float>();
        LocalTensor<float> b = sink.AllocTensor<float>();
        Adds(b, a, 1.0f, 128);
        if (i == 0 && (uint64_t)a.GetPhyAddr() - (uint64_t)b.GetPhyAddr() != 3072) return;
        source.FreeTensor(a);
        sink.EnQue(b);
        b = sink.DeQue<float>();
        DataCopy(out[128 * i], b, 128);
        sink.FreeTensor(b);
    }
}
"""


def test_a_queue_over_given_addresses(toolchain: SimulatorToolchain) -> None:
    done = simulate(HEAD + QUEUES, {"x": X}, {"z": ((256,), "float32")}, toolchain=toolchain)
    assert not done.codes, done.diagnostics
    assert np.array_equal(done.outputs["z"], X + 1)


def test_given_addresses_stay_in_ub(toolchain: SimulatorToolchain) -> None:
    done = simulate(
        HEAD + QUEUES.replace("8192, 512", "196608, 512"), {"x": X}, {"z": ((256,), "float32")}, toolchain=toolchain
    )
    assert "ub-overflow" in done.codes
