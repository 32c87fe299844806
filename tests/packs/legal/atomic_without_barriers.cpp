// Three atomic additions to one place need no order among themselves.
// fact: semantics 16
// in x: int32 8 = integers
// out z: int32 32 = repeat(arange(1, 5) * 3, 8)
// blocks: 4

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<int32_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x, 8);
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 32);

    TPipe pipe;
    TQue<TPosition::VECOUT, 1> outQueue;
    TQue<TPosition::VECIN, 1> inQueue;
    pipe.InitBuffer(outQueue, 1, 32);
    GlobalTensor<int32_t> total;
    total.SetGlobalBuffer((__gm__ int32_t*)z + GetBlockIdx() * 8, 8);
    LocalTensor<int32_t> u = outQueue.AllocTensor<int32_t>();
    Duplicate(u, static_cast<int32_t>(0), 8);
    outQueue.EnQue(u);
    u = outQueue.DeQue<int32_t>();
    DataCopy(total, u, 8);
    PipeBarrier<PIPE_ALL>();
    Duplicate(u, static_cast<int32_t>(GetBlockIdx() + 1), 8);
    PipeBarrier<PIPE_ALL>();
    SetAtomicAdd<int32_t>();
    for (int i = 0; i < 3; ++i) {
        DataCopy(total, u, 8);
    }
    DisableDmaAtomic();
    outQueue.FreeTensor(u);
}
