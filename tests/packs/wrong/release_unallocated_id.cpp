// ReleaseEventID of an id that was only fetched.
// fact: semantics 5: FetchEventID reserves nothing
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
    TEventID id = pipe.FetchEventID<HardEvent::MTE2_V>();
    pipe.ReleaseEventID<HardEvent::MTE2_V>(id);  // expect: event-not-allocated
}
