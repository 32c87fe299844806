// TQueSync wraps a pair of pipes.
// fact: semantics 6
// in x: float32 64 = ramp
// out z: float32 64 = x + 1

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

    TQueSync<PIPE_MTE2, PIPE_V> loaded;
    TQueSync<PIPE_V, PIPE_MTE3> computed;
    DataCopy(a, xGm, 64);
    loaded.SetFlag(0);
    loaded.WaitFlag(0);
    Adds(b, a, 1.0f, 64);
    computed.SetFlag(0);
    computed.WaitFlag(0);
    DataCopy(zGm, b, 64);
}
