// Two buffers of one queue are freed in the other order than they were taken.
// fact: semantics 5
// in x: float32 48 = normal
// out z: float32 24 = x.reshape(3, 2, 8)[:, 0].ravel() - x.reshape(3, 2, 8)[:, 1].ravel()

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 48);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 24);

    TPipe pipe;
    TQue<TPosition::VECIN, 2> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 2, 32);
    pipe.InitBuffer(outQueue, 1, 32);
    for (int i = 0; i < 3; ++i) {
        LocalTensor<float> a = inQueue.AllocTensor<float>();
        LocalTensor<float> b = inQueue.AllocTensor<float>();
        DataCopy(a, xGm[i * 16], 8);
        DataCopy(b, xGm[i * 16 + 8], 8);
        inQueue.EnQue(a);
        inQueue.EnQue(b);
        a = inQueue.DeQue<float>();
        b = inQueue.DeQue<float>();
        LocalTensor<float> u = outQueue.AllocTensor<float>();
        Sub(u, a, b, 8);
        inQueue.FreeTensor(b);
        inQueue.FreeTensor(a);
        outQueue.EnQue(u);
        u = outQueue.DeQue<float>();
        DataCopy(zGm[i * 8], u, 8);
        outQueue.FreeTensor(u);
    }
}
