// Two EnQue into a queue of depth 1; two buffers do not change the depth.
// fact: pitfalls 8, 14
// in x: float32 64 = normal
// out z: float32 64

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    pipe.InitBuffer(inQueue, 2, 128);
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, xGm, 32);
    inQueue.EnQue(a);
    LocalTensor<float> b = inQueue.AllocTensor<float>();
    DataCopy(b, xGm[32], 32);
    inQueue.EnQue(b);  // expect: queue-full
    a = inQueue.DeQue<float>();
    b = inQueue.DeQue<float>();
    inQueue.FreeTensor(a);
    inQueue.FreeTensor(b);
}
