// Block 0 stores zeros, all blocks wait, then every block adds its part atomically.
// fact: semantics 8, 16
// in x: float32 48 = ramp
// out z: float32 8 = x.reshape(6, 8).sum(0)
// blocks: 6

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 48);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 8);

    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 32);
    const int64_t me = GetBlockIdx();

    LocalTensor<float> t = queue.AllocTensor<float>();
    if (me == 0) {
        Duplicate(t, 0.0f, 8);
        PipeBarrier<PIPE_ALL>();
        DataCopy(zGm, t, 8);
    }
    PipeBarrier<PIPE_ALL>();
    SyncAll();
    DataCopy(t, xGm[me * 8], 8);
    queue.EnQue(t);
    t = queue.DeQue<float>();
    SetAtomicAdd<float>();
    DataCopy(zGm, t, 8);
    DisableDmaAtomic();
    queue.FreeTensor(t);
}
