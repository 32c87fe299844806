// The barrier comes after the load that should see the other block's result.
// fact: semantics 8
// in x: float32 16 = normal
// out z: float32 16
// blocks: 2
// also: uninitialised-read

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

    GlobalTensor<float> scratch;
    scratch.SetGlobalBuffer((__gm__ float*)workspace, 16);
    LocalTensor<float> t = queue.AllocTensor<float>();
    DataCopy(t, xGm[me * 8], 8);
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(scratch[me * 8], t, 8);  // expect: gm-race
    PipeBarrier<PIPE_ALL>();
    DataCopy(t, scratch[(1 - me) * 8], 8);  // expect: gm-race
    SyncAll();
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(zGm[me * 8], t, 8);
    queue.FreeTensor(t);
}
