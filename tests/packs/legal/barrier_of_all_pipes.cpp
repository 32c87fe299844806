// PipeBarrier<PIPE_ALL> in place of every flag.
// fact: semantics 7
// in x: float32 64 = ramp
// out z: float32 64 = x + 2

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    TPipe pipe;
    TBuf<TPosition::VECCALC> inBuf;
    TBuf<TPosition::VECCALC> outBuf;
    pipe.InitBuffer(inBuf, 256);
    pipe.InitBuffer(outBuf, 256);
    LocalTensor<float> a = inBuf.Get<float>();
    LocalTensor<float> b = outBuf.Get<float>();

    DataCopy(a, xGm, 64);
    PipeBarrier<PIPE_ALL>();
    Adds(b, a, 2.0f, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(zGm, b, 64);
}
