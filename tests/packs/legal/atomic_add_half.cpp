// Atomic addition of half onto values that were stored before.
// fact: semantics 16
// in x: float16 8 = normal
// out z: float16 32 = full(32, 3.5)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 8);
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer((__gm__ half*)z, 32);

    TPipe pipe;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(outQueue, 2, 128);
    LocalTensor<half> u = outQueue.AllocTensor<half>();
    Duplicate(u, static_cast<half>(1.5), 32);
    outQueue.EnQue(u);
    u = outQueue.DeQue<half>();
    DataCopy(zGm, u, 32);
    outQueue.FreeTensor(u);
    PipeBarrier<PIPE_MTE3>();
    u = outQueue.AllocTensor<half>();
    Duplicate(u, static_cast<half>(2.0), 32);
    outQueue.EnQue(u);
    u = outQueue.DeQue<half>();
    SetAtomicAdd<half>();
    DataCopy(zGm, u, 32);
    SetAtomicNone();
    outQueue.FreeTensor(u);
}
