// Blocks without work return before the barrier that the others wait at.
// fact: pitfalls 28
// in x: float32 16 = normal
// out z: float32 16
// blocks: 3

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 16);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 16);

    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 32);
    const int64_t me = GetBlockIdx();

    if (me >= 2) {
        return;
    }
    SyncAll();  // expect: deadlock
    LocalTensor<float> t = queue.AllocTensor<float>();
    DataCopy(t, xGm[me * 8], 8);
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(zGm[me * 8], t, 8);
    queue.FreeTensor(t);
}
