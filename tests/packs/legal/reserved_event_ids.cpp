// AllocEventID reserves ids; an array of them serves two buffers.
// fact: semantics 5
// in x: float32 64 = ramp
// out z: float32 64 = x + 1 + (ramp >= 32)

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

    TEventID ids[2] = {pipe.AllocEventID<HardEvent::MTE2_V>(), pipe.AllocEventID<HardEvent::MTE2_V>()};
    TEventID out = pipe.FetchEventID<HardEvent::V_MTE3>();
    DataCopy(a, xGm, 32);
    SetFlag<HardEvent::MTE2_V>(ids[0]);
    DataCopy(a[32], xGm[32], 32);
    SetFlag<HardEvent::MTE2_V>(ids[1]);
    WaitFlag<HardEvent::MTE2_V>(ids[0]);
    Adds(b, a, 1.0f, 32);
    WaitFlag<HardEvent::MTE2_V>(ids[1]);
    Adds(b[32], a[32], 2.0f, 32);
    pipe.ReleaseEventID<HardEvent::MTE2_V>(ids[0]);
    pipe.ReleaseEventID<HardEvent::MTE2_V>(ids[1]);
    SetFlag<HardEvent::V_MTE3>(out);
    WaitFlag<HardEvent::V_MTE3>(out);
    DataCopy(zGm, b, 64);
}
