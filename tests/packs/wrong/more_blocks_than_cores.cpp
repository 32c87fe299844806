// A barrier over more blocks than the chip has cores: the last ones never start.
// fact: pitfalls 24
// in x: float32 8 = normal
// out z: float32 800
// blocks: 100

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 8);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 800);

    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 32);
    const int64_t me = GetBlockIdx();

    SyncAll();  // expect: deadlock
    LocalTensor<float> t = queue.AllocTensor<float>();
    DataCopy(t, xGm, 8);
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(zGm[me * 8], t, 8);
    queue.FreeTensor(t);
}
