// VSEL_CMPMASK_SPR takes the first 64 bits for every repeat.
// fact: pitfalls 56
// in x: float32 256 = normal
// in y: uint8 32 = where(arange(32) < 8, 255, 0)
// out z: float32 128 = where(arange(128) < 64, x[:128], x[128:])
// expect: numeric-mismatch

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECIN, 1> yQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 256);
    GlobalTensor<uint8_t> yGm;
    yGm.SetGlobalBuffer((__gm__ uint8_t*)y, 32);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 128);
    pipe.InitBuffer(xQueue, 1, 256 * sizeof(float));
    pipe.InitBuffer(yQueue, 1, 32 * sizeof(uint8_t));
    pipe.InitBuffer(zQueue, 1, 128 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 256);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<uint8_t> yLocal = yQueue.AllocTensor<uint8_t>();
    DataCopy(yLocal, yGm, 32);
    yQueue.EnQue(yLocal);
    yLocal = yQueue.DeQue<uint8_t>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    Select(zLocal, yLocal, xLocal, xLocal[128], SELMODE::VSEL_CMPMASK_SPR, 64, 2, {1, 1, 1, 8, 8, 8});

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 128);
    xQueue.FreeTensor(xLocal);
    yQueue.FreeTensor(yLocal);
    zQueue.FreeTensor(zLocal);
}
