// A flag between cores is set with one id and awaited with another.
// fact: semantics 8: CrossCoreSetFlag
// in x: float32 8 = normal
// out z: float32 8
// blocks: 2

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 8);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 8);

    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    TPipe pipe;
    CrossCoreSetFlag<0, PIPE_MTE3>(1);
    CrossCoreWaitFlag(2);  // expect: deadlock
}
