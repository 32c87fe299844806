// FetchEventID only peeks: two fetches give the same id.
// fact: pitfalls 20
// in x: float32 64 = normal
// out z: float32 64
// also: output-not-written

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

    TEventID first = pipe.FetchEventID<HardEvent::MTE2_V>();
    TEventID second = pipe.FetchEventID<HardEvent::MTE2_V>();
    DataCopy(a, xGm, 64);
    SetFlag<HardEvent::MTE2_V>(first);
    DataCopy(b, xGm, 64);
    SetFlag<HardEvent::MTE2_V>(second);  // expect: flag-already-set
    WaitFlag<HardEvent::MTE2_V>(first);
    WaitFlag<HardEvent::MTE2_V>(second);
}
