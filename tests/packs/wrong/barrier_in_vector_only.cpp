// A barrier of all blocks in a kernel that says that it is for vector cores alone: nothing carries its signals.
// fact: pitfalls 26
// in x: float32 32 = normal
// out z: float32 32 = roll(x, -8)
// blocks: 4

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 32);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 32);

    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 32);
    const int64_t me = GetBlockIdx();

    GlobalTensor<float> scratch;
    scratch.SetGlobalBuffer((__gm__ float*)workspace, 32);
    LocalTensor<float> t = queue.AllocTensor<float>();
    DataCopy(t, xGm[me * 8], 8);
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(scratch[me * 8], t, 8);
    PipeBarrier<PIPE_ALL>();
    SyncAll();  // expect: no-scheduler
    DataCopy(t, scratch[(me + 1) % 4 * 8], 8);
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(zGm[me * 8], t, 8);
    queue.FreeTensor(t);
}
