// Atomic maximum of int32_t.
// fact: semantics 16
// in x: float16 8 = normal
// out z: int32 32 = full(32, -5)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 8);
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 32);

    TPipe pipe;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(outQueue, 2, 128);
    LocalTensor<int32_t> u = outQueue.AllocTensor<int32_t>();
    Duplicate(u, static_cast<int32_t>(-5), 32);
    outQueue.EnQue(u);
    u = outQueue.DeQue<int32_t>();
    DataCopy(zGm, u, 32);
    outQueue.FreeTensor(u);
    PipeBarrier<PIPE_MTE3>();
    u = outQueue.AllocTensor<int32_t>();
    Duplicate(u, static_cast<int32_t>(-9), 32);
    outQueue.EnQue(u);
    u = outQueue.DeQue<int32_t>();
    SetAtomicMax<int32_t>();
    DataCopy(zGm, u, 32);
    SetAtomicNone();
    outQueue.FreeTensor(u);
}
