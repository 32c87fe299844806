// int32_t can only be compared for equality.
// fact: pitfalls 55
// in x: int32 64 = integers
// in y: int32 64 = integers
// out z: uint8 32

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECIN, 1> yQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<int32_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x, 64);
    GlobalTensor<int32_t> yGm;
    yGm.SetGlobalBuffer((__gm__ int32_t*)y, 64);
    GlobalTensor<uint8_t> zGm;
    zGm.SetGlobalBuffer((__gm__ uint8_t*)z, 32);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(int32_t));
    pipe.InitBuffer(yQueue, 1, 64 * sizeof(int32_t));
    pipe.InitBuffer(zQueue, 1, 32 * sizeof(uint8_t));

    LocalTensor<int32_t> xLocal = xQueue.AllocTensor<int32_t>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<int32_t>();
    LocalTensor<int32_t> yLocal = yQueue.AllocTensor<int32_t>();
    DataCopy(yLocal, yGm, 64);
    yQueue.EnQue(yLocal);
    yLocal = yQueue.DeQue<int32_t>();
    LocalTensor<uint8_t> zLocal = zQueue.AllocTensor<uint8_t>();

    Duplicate(zLocal.ReinterpretCast<int16_t>(), static_cast<int16_t>(0), 16);
    Compare(zLocal, xLocal, yLocal, CMPMODE::LT, 64);  // expect: compare-mode

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<uint8_t>();
    DataCopy(zGm, zLocal, 32);
    xQueue.FreeTensor(xLocal);
    yQueue.FreeTensor(yLocal);
    zQueue.FreeTensor(zLocal);
}
