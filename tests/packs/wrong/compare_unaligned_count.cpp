// Compare works in whole repeats of 256 bytes.
// fact: pitfalls 54
// in x: float32 64 = normal
// in y: float32 64 = normal
// out z: uint8 32
// also: uninitialised-read

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECIN, 1> yQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> yGm;
    yGm.SetGlobalBuffer((__gm__ float*)y, 64);
    GlobalTensor<uint8_t> zGm;
    zGm.SetGlobalBuffer((__gm__ uint8_t*)z, 32);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(yQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 32 * sizeof(uint8_t));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> yLocal = yQueue.AllocTensor<float>();
    DataCopy(yLocal, yGm, 64);
    yQueue.EnQue(yLocal);
    yLocal = yQueue.DeQue<float>();
    LocalTensor<uint8_t> zLocal = zQueue.AllocTensor<uint8_t>();

    Compare(zLocal, xLocal, yLocal, CMPMODE::LT, 40);  // expect: count-alignment

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<uint8_t>();
    DataCopy(zGm, zLocal, 32);
    xQueue.FreeTensor(xLocal);
    yQueue.FreeTensor(yLocal);
    zQueue.FreeTensor(zLocal);
}
