"""A matrix product that is written instruction by instruction: tiles, tails, bias, hand-over by flags or unit flags."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agentkernel.dtypes import DType
from agentkernel.testing.simulate import Simulation, simulate
from agentkernel.toolchains.base import Toolchain

KERNEL = """#include "kernel_operator.h"
using namespace AscendC;
constexpr int32_t M = @M@, N = @N@, K = @K@, TM = @TM@, TN = @TN@, TK = @TK@;
using In = @IN@;
using Acc = @ACC@;
using Out = @OUT@;
constexpr int32_t C0 = 32 / sizeof(In), SQUARE = sizeof(In) == 1 ? 32 : 16;
constexpr int32_t Up(int32_t a, int32_t b) { return (a + b - 1) / b * b; }
constexpr int32_t Min(int32_t a, int32_t b) { return a < b ? a : b; }

extern "C" __global__ __aicore__ void kernel(@ARGUMENTS@, GM_ADDR c, GM_ADDR workspace) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GlobalTensor<In> ga, gb;
    GlobalTensor<Out> gc;
    ga.SetGlobalBuffer((__gm__ In*)a, M * K);
    gb.SetGlobalBuffer((__gm__ In*)b, K * N);
    gc.SetGlobalBuffer((__gm__ Out*)c, M * N);
    TPipe pipe;
    TBuf<TPosition::A1> a1Buffer, b1Buffer, extraBuffer;
    TBuf<TPosition::A2> a2Buffer;
    TBuf<TPosition::B2> b2Buffer;
    TBuf<TPosition::CO1> cBuffer;
    TBuf<TPosition::C2> biasBuffer;
    pipe.InitBuffer(a1Buffer, Up(TM, 16) * Up(TK, 32) * sizeof(In));
    pipe.InitBuffer(b1Buffer, Up(TK, 32) * Up(TN, 32) * sizeof(In));
    pipe.InitBuffer(extraBuffer, 8192);
    pipe.InitBuffer(a2Buffer, Up(TM, 16) * Up(TK, 32) * sizeof(In));
    pipe.InitBuffer(b2Buffer, Up(TK, 32) * Up(TN, 32) * sizeof(In));
    pipe.InitBuffer(cBuffer, Up(TM, 16) * Up(TN, 32) * 4);
    pipe.InitBuffer(biasBuffer, 1024);
    LocalTensor<In> a1 = a1Buffer.Get<In>(), b1 = b1Buffer.Get<In>(), a2 = a2Buffer.Get<In>(), b2 = b2Buffer.Get<In>();
    LocalTensor<Acc> product = cBuffer.Get<Acc>(), table = biasBuffer.Get<Acc>();
    SetFlag<HardEvent::MTE1_MTE2>(0);
    const TEventID done = pipe.AllocEventID<HardEvent::M_MTE1>();
    SetFlag<HardEvent::M_MTE1>(done);
    if (!@UNIT@) SetFlag<HardEvent::FIX_M>(0);
    for (int32_t block = GetBlockIdx(); block < Up(M, TM) / TM * (Up(N, TN) / TN); block += GetBlockNum()) {
        const int32_t row = block % (Up(M, TM) / TM) * TM, column = block / (Up(M, TM) / TM) * TN;
        const int32_t m = Min(TM, M - row), n = Min(TN, N - column), m16 = Up(m, 16), n16 = Up(n, SQUARE);
        for (int32_t depth = 0; depth < K; depth += TK) {
            const int32_t k = Min(TK, K - depth), kc = Up(k, C0), kb = Up(k, SQUARE);
            WaitFlag<HardEvent::MTE1_MTE2>(0);
            DataCopy(a1, ga[row * K + depth], Nd2NzParams(1, m, k, 0, K, m16, 1, 0));
            DataCopy(b1, gb[depth * N + column], Nd2NzParams(1, k, n, 0, N, kb, 1, 0));
            @LOAD_BIAS@
            SetFlag<HardEvent::MTE2_MTE1>(0);
            WaitFlag<HardEvent::MTE2_MTE1>(0);
            WaitFlag<HardEvent::M_MTE1>(done);
            for (int32_t i = 0; i < m16 / 16; ++i)
                LoadData(a2[i * 16 * kc], a1[i * 16 * C0], LoadData2DParams(0, kc / C0, m16 / 16, 0, 0, false, 0));
            // Squares of B stand below each other in L1; transposed, they stand beside each other in L0B.
            for (int32_t i = 0; i < kb / SQUARE; ++i) {
                if (sizeof(In) == 2)
                    LoadData(b2[i * 16 * n16], b1[i * 256], LoadData2DParams(0, n16 / 16, kb / 16, 0, 0, true, 0));
                else
                    LoadDataWithTranspose(
                        b2[i * SQUARE * n16], b1[i * SQUARE * SQUARE],
                        LoadData2dTransposeParams(0, n16 / SQUARE, kb / SQUARE, SQUARE / 16 - 1, 0, 0));
            }
            @COPY_BIAS@
            SetFlag<HardEvent::MTE1_MTE2>(0);
            SetFlag<HardEvent::MTE1_M>(0);
            WaitFlag<HardEvent::MTE1_M>(0);
            if (depth == 0 && !@UNIT@) WaitFlag<HardEvent::FIX_M>(0);
            MmadParams p;
            p.m = m == 1 ? 16 : m, p.n = sizeof(In) == 1 ? n16 : n, p.k = k;
            p.cmatrixInitVal = depth == 0 && !@BIAS@;
            if (@UNIT@) p.unitFlag = depth + TK < K ? 2 : 3;
            if (depth == 0 && @BIAS@) Mmad(product, a2, b2, table, p);
            else Mmad(product, a2, b2, p);
            if ((m / 16) * (n / 16) < 10) PipeBarrier<PIPE_M>();
            SetFlag<HardEvent::M_MTE1>(done);
        }
        if (!@UNIT@) {
            SetFlag<HardEvent::M_FIX>(0);
            WaitFlag<HardEvent::M_FIX>(0);
        }
        FixpipeParamsV220 f(n, m, m16, N, @RELU@);
        if (@UNIT@) f.unitFlag = 3;
        f.quantPre = QuantMode_t::@QUANT@;
        @FIXPIPE@
        if (!@UNIT@) SetFlag<HardEvent::FIX_M>(0);
    }
    if (!@UNIT@) WaitFlag<HardEvent::FIX_M>(0);
    WaitFlag<HardEvent::M_MTE1>(done);
    WaitFlag<HardEvent::MTE1_MTE2>(0);
}
"""


@dataclass(frozen=True)
class Gemm:
    """C = A x B (+ bias), in tiles."""

    m: int
    n: int
    k: int
    tile: tuple[int, int, int] = (128, 128, 64)
    dtype: str = "float16"
    out: str = "float32"
    quant: str = "NoQuant"
    scalar: int = 0
    relu: bool = False
    unit_flags: bool = False
    blocks: int = 1
    bias: NDArray[np.float32] | NDArray[np.int32] | None = None
    """One number a column, and as many more as fill up 16."""
    scales: NDArray[np.int64] | None = None
    """Bits of the parameter of each column."""

    @property
    def source(self) -> str:
        """Text of the kernel."""
        arguments = ["GM_ADDR a", "GM_ADDR b"]
        load = copy = ""
        fix = f"f.deqScalar = {self.scalar}u; Fixpipe(gc[row * N + column], product, f);"
        accumulate = "int32_t" if self.dtype == "int8" else "float"
        if self.bias is not None:
            arguments.append("GM_ADDR bias")
            load = """LocalTensor<Acc> extra = extraBuffer.Get<Acc>();
            GlobalTensor<Acc> gbias;
            gbias.SetGlobalBuffer((__gm__ Acc*)bias);
            if (depth == 0) DataCopy(extra, gbias[column], Up(n, 16));"""
            copy = "if (depth == 0) DataCopy(table, extra, DataCopyParams(1, Up(n, 16) / 16, 0, 0));"
        if self.scales is not None:
            arguments.append("GM_ADDR scales")
            fix = """LocalTensor<uint64_t> extra = extraBuffer.Get<uint64_t>();
            GlobalTensor<uint64_t> gscales;
            gscales.SetGlobalBuffer((__gm__ uint64_t*)scales, N);
            DataCopy(extra, gscales[column], Up(n, 4));
            SetFlag<HardEvent::MTE2_FIX>(0);
            WaitFlag<HardEvent::MTE2_FIX>(0);
            Fixpipe(gc[row * N + column], product, extra, f);
            SetFlag<HardEvent::FIX_MTE2>(0);
            WaitFlag<HardEvent::FIX_MTE2>(0);"""
        values = {
            "M": self.m, "N": self.n, "K": self.k, "TM": self.tile[0], "TN": self.tile[1], "TK": self.tile[2],
            "IN": DType(self.dtype).ascendc, "ACC": accumulate, "OUT": DType(self.out).ascendc,
            "ARGUMENTS": ", ".join(arguments), "LOAD_BIAS": load, "COPY_BIAS": copy, "FIXPIPE": fix,
            "UNIT": int(self.unit_flags), "BIAS": int(self.bias is not None), "RELU": int(self.relu),
            "QUANT": self.quant,
        }  # fmt: skip
        text = KERNEL
        for name, value in values.items():
            text = text.replace(f"@{name}@", str(value))
        return text

    def run(self, a: NDArray[np.generic], b: NDArray[np.generic], toolchain: Toolchain) -> Simulation:
        """Launch it on A (m, k) and B (k, n)."""
        inputs: dict[str, NDArray[np.generic]] = {"a": a, "b": b}
        if self.bias is not None:
            inputs["bias"] = self.bias
        if self.scales is not None:
            inputs["scales"] = self.scales
        outputs = {"c": ((self.m, self.n), self.out)}
        return simulate(self.source, inputs, outputs, blocks=self.blocks, toolchain=toolchain)
