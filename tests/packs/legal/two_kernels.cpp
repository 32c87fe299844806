// Two kernels in one file; the second one is launched.
// fact: semantics 19
// in x: float32 64 = normal
// out z: float32 64 = x
// entry: second

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void first(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> out;
    out.SetGlobalBuffer((__gm__ float*)z, 64);
    TPipe pipe;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(outQueue, 1, 256);
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    Duplicate(u, 1.0f, 64);
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    DataCopy(out, u, 64);
    outQueue.FreeTensor(u);
}

extern "C" __global__ __aicore__ void second(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> in;
    GlobalTensor<float> out;
    in.SetGlobalBuffer((__gm__ float*)x, 64);
    out.SetGlobalBuffer((__gm__ float*)z, 64);
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    LocalTensor<float> t = queue.AllocTensor<float>();
    DataCopy(t, in, 64);
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(out, t, 64);
    queue.FreeTensor(t);
}
