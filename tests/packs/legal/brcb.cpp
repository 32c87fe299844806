// Brcb spreads every element over a block.
// fact: semantics 14
// in x: float32 16 = normal
// out z: float32 128 = repeat(x, 8)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 16);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 128);
    pipe.InitBuffer(xQueue, 1, 16 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 128 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 16);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    Brcb(zLocal, xLocal, 2, {1, 8});

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 128);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
