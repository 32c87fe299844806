// Nine AllocEventID of one event; there are eight ids.
// fact: semantics 5
// in x: float32 64 = normal
// out z: float32 64

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    TPipe pipe;
    TEventID last = 0;
    for (int i = 0; i < 9; ++i) {
        last = pipe.AllocEventID<HardEvent::MTE2_V>();  // expect: event-ids-exhausted
    }
}
