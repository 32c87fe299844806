// Tensors at fixed addresses without a TPipe.
// fact: semantics 5, 20
// in x: float32 64 = ramp
// out z: float32 64 = x + 4

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    InitSocState();
    LocalTensor<float> a(TPosition::VECIN, 0, 64);
    LocalTensor<float> b(TPosition::VECOUT, 1024, 64);
    DataCopy(a, xGm, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(b, a, 4.0f, 64);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(zGm, b, 64);
    PipeBarrier<PIPE_ALL>();
}
