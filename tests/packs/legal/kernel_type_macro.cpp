// KERNEL_TASK_TYPE_DEFAULT at the head of a kernel.
// fact: overloads 1.2
// in x: float32 64 = normal
// out z: float32 64 = x

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    LocalTensor<float> t = queue.AllocTensor<float>();
    DataCopy(t, xGm, 64);
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(zGm, t, 64);
    queue.FreeTensor(t);
}
