// The next tile is loaded before the present one is computed.
// fact: double buffering
// in x: float32 64 = normal
// out z: float32 64 = maximum(x, 0)

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
    pipe.InitBuffer(inQueue, 2, 64);
    pipe.InitBuffer(outQueue, 2, 64);
    LocalTensor<float> next = inQueue.AllocTensor<float>();
    DataCopy(next, xGm, 16);
    inQueue.EnQue(next);
    for (int i = 0; i < 4; ++i) {
        LocalTensor<float> t = inQueue.DeQue<float>();
        if (i + 1 < 4) {
            next = inQueue.AllocTensor<float>();
            DataCopy(next, xGm[(i + 1) * 16], 16);
            inQueue.EnQue(next);
        }
        LocalTensor<float> u = outQueue.AllocTensor<float>();
        Relu(u, t, 16);
        inQueue.FreeTensor(t);
        outQueue.EnQue(u);
        u = outQueue.DeQue<float>();
        DataCopy(zGm[i * 16], u, 16);
        outQueue.FreeTensor(u);
    }
}
