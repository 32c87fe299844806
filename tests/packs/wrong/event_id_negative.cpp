// An event id below 0.
// fact: pitfalls 20
// in x: float32 64 = normal
// out z: float32 64
// also: event-id-range, output-not-written

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    TPipe pipe;
    SetFlag<HardEvent::MTE2_V>(-1);  // expect: event-id-range
    WaitFlag<HardEvent::MTE2_V>(-1);
}
