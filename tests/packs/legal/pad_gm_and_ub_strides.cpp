// Columns 2 to 4 of a matrix of 6 columns, every row two blocks apart in the unified buffer.
// fact: semantics 15
// in x: float32 24 = ramp
// out z: float32 12 = x.reshape(4, 6)[:, 2:5].ravel() + 1

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 24);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 12);

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 1, 256);
    pipe.InitBuffer(outQueue, 1, 256);
    LocalTensor<float> t = inQueue.AllocTensor<float>();
    DataCopyExtParams rows{4, 3 * sizeof(float), 3 * sizeof(float), 1, 0};
    DataCopyPadExtParams<float> zeros{true, 0, 5, 0.0f};
    DataCopyPad(t, xGm[2], rows, zeros);
    inQueue.EnQue(t);
    t = inQueue.DeQue<float>();
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    Adds(u, t, 1.0f, 8, 4, {1, 1, 1, 2});
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    DataCopyPad(zGm, u, {4, 12, 0, 0, 0});
    inQueue.FreeTensor(t);
    outQueue.FreeTensor(u);
}
