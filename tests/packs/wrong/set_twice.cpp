// A flag is one bit: the second SetFlag finds it set.
// fact: pitfalls 19
// in x: float32 64 = normal
// out z: float32 64
// also: flag-left-set, output-not-written

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

    DataCopy(a, xGm, 32);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    DataCopy(a[32], xGm[32], 32);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);  // expect: flag-already-set
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
}
