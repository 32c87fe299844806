// Two tensors wait in a queue of depth 2 and come out first in, first out.
// fact: semantics 5
// in x: float32 64 = ramp
// out z: float32 64 = x + (ramp >= 32)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    TPipe pipe;
    TQue<TPosition::VECIN, 2> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 2, 128);
    pipe.InitBuffer(outQueue, 1, 128);
    LocalTensor<float> a = inQueue.AllocTensor<float>();
    DataCopy(a, xGm, 32);
    inQueue.EnQue(a);
    LocalTensor<float> b = inQueue.AllocTensor<float>();
    DataCopy(b, xGm[32], 32);
    inQueue.EnQue(b);
    for (int i = 0; i < 2; ++i) {
        LocalTensor<float> t = inQueue.DeQue<float>();
        LocalTensor<float> u = outQueue.AllocTensor<float>();
        Adds(u, t, static_cast<float>(i), 32);
        outQueue.EnQue(u);
        u = outQueue.DeQue<float>();
        DataCopy(zGm[i * 32], u, 32);
        outQueue.FreeTensor(u);
        inQueue.FreeTensor(t);
    }
}
