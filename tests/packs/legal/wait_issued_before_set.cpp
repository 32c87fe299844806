// The vector pipe is given its wait before MTE2 is given the copy and the set.
// fact: semantics 6: a wait holds its own pipe only
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

    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    DataCopy(a, xGm, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(b, a, 1.0f, 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(zGm, b, 64);
}
