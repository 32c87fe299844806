// A continuous mask of seven lanes in every repeat.
// fact: semantics 2.2
// in x: float32 192 = normal
// in y: float32 192 = normal
// out z: float32 192 = where(ramp % 64 < 7, x + y, 0)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECIN, 1> yQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 192);
    GlobalTensor<float> yGm;
    yGm.SetGlobalBuffer((__gm__ float*)y, 192);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 192);
    pipe.InitBuffer(xQueue, 1, 192 * sizeof(float));
    pipe.InitBuffer(yQueue, 1, 192 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 192 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 192);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> yLocal = yQueue.AllocTensor<float>();
    DataCopy(yLocal, yGm, 192);
    yQueue.EnQue(yLocal);
    yLocal = yQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    Duplicate(zLocal, 0.0f, 192);
    Add(zLocal, xLocal, yLocal, 7, 3, {1, 1, 1, 8, 8, 8});

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 192);
    xQueue.FreeTensor(xLocal);
    yQueue.FreeTensor(yLocal);
    zQueue.FreeTensor(zLocal);
}
