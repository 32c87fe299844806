// The input is freed before it is computed on: the next tile may overwrite it.
// fact: pitfalls 7
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
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 1, 128);
    pipe.InitBuffer(outQueue, 2, 128);
    for (int i = 0; i < 2; ++i) {
        LocalTensor<float> t = inQueue.AllocTensor<float>();
        DataCopy(t, xGm[i * 32], 32);  // expect: missing-sync
        inQueue.EnQue(t);
        t = inQueue.DeQue<float>();
        inQueue.FreeTensor(t);
        LocalTensor<float> u = outQueue.AllocTensor<float>();
        Adds(u, t, 1.0f, 32);
        outQueue.EnQue(u);
        u = outQueue.DeQue<float>();
        DataCopy(zGm[i * 32], u, 32);
        outQueue.FreeTensor(u);
    }
}
