// The in-place forms of AllocTensor and DeQue on queues of depth 0.
// fact: pitfalls 9
// in x: float32 64 = normal
// out z: float32 64 = x * 2

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    TPipe pipe;
    TQue<TPosition::VECIN, 0> inQueue;
    TQue<TPosition::VECOUT, 0> outQueue;
    pipe.InitBuffer(inQueue, 2, 64);
    pipe.InitBuffer(outQueue, 2, 64);
    LocalTensor<float> t;
    LocalTensor<float> u;
    for (int i = 0; i < 4; ++i) {
        inQueue.AllocTensor<float>(t);
        DataCopy(t, xGm[i * 16], 16);
        inQueue.EnQue(t);
        inQueue.DeQue<float>(t);
        outQueue.AllocTensor<float>(u);
        Muls(u, t, 2.0f, 16);
        outQueue.EnQue(u);
        outQueue.DeQue<float>(u);
        DataCopy(zGm[i * 16], u, 16);
        inQueue.FreeTensor(t);
        outQueue.FreeTensor(u);
    }
}
