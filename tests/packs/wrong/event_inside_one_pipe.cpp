// No event joins MTE2 with itself.
// fact: semantics 6: list of events
// in x: float32 64 = normal
// out z: float32 64
// also: no-such-event, output-not-written

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    TPipe pipe;
    set_flag(PIPE_MTE2, PIPE_MTE2, EVENT_ID0);  // expect: no-such-event
    wait_flag(PIPE_MTE2, PIPE_MTE2, EVENT_ID0);
}
