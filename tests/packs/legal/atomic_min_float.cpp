// Atomic minimum of float.
// fact: semantics 16
// in x: float16 8 = normal
// out z: float32 32 = full(32, -2)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 8);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 32);

    TPipe pipe;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(outQueue, 2, 128);
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    Duplicate(u, static_cast<float>(4.0), 32);
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    DataCopy(zGm, u, 32);
    outQueue.FreeTensor(u);
    PipeBarrier<PIPE_MTE3>();
    u = outQueue.AllocTensor<float>();
    Duplicate(u, static_cast<float>(-2.0), 32);
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    SetAtomicMin<float>();
    DataCopy(zGm, u, 32);
    SetAtomicNone();
    outQueue.FreeTensor(u);
}
