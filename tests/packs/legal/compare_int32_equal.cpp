// int32_t may be compared for equality.
// fact: semantics 9
// in x: int32 256 = ramp % 3
// in y: int32 256 = ramp % 2
// out z: uint8 32 = packbits(x == y, bitorder="little")

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECIN, 1> yQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<int32_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x, 256);
    GlobalTensor<int32_t> yGm;
    yGm.SetGlobalBuffer((__gm__ int32_t*)y, 256);
    GlobalTensor<uint8_t> zGm;
    zGm.SetGlobalBuffer((__gm__ uint8_t*)z, 32);
    pipe.InitBuffer(xQueue, 1, 256 * sizeof(int32_t));
    pipe.InitBuffer(yQueue, 1, 256 * sizeof(int32_t));
    pipe.InitBuffer(zQueue, 1, 32 * sizeof(uint8_t));

    LocalTensor<int32_t> xLocal = xQueue.AllocTensor<int32_t>();
    DataCopy(xLocal, xGm, 256);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<int32_t>();
    LocalTensor<int32_t> yLocal = yQueue.AllocTensor<int32_t>();
    DataCopy(yLocal, yGm, 256);
    yQueue.EnQue(yLocal);
    yLocal = yQueue.DeQue<int32_t>();
    LocalTensor<uint8_t> zLocal = zQueue.AllocTensor<uint8_t>();

    Compare(zLocal, xLocal, yLocal, CMPMODE::EQ, 256);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<uint8_t>();
    DataCopy(zGm, zLocal, 32);
    xQueue.FreeTensor(xLocal);
    yQueue.FreeTensor(yLocal);
    zQueue.FreeTensor(zLocal);
}
