// Select moves half and float.
// fact: semantics 9
// in x: int32 64 = integers
// in y: uint8 32 = integers
// out z: int32 64

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
    GlobalTensor<uint8_t> yGm;
    yGm.SetGlobalBuffer((__gm__ uint8_t*)y, 32);
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(int32_t));
    pipe.InitBuffer(yQueue, 1, 32 * sizeof(uint8_t));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(int32_t));

    LocalTensor<int32_t> xLocal = xQueue.AllocTensor<int32_t>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<int32_t>();
    LocalTensor<uint8_t> yLocal = yQueue.AllocTensor<uint8_t>();
    DataCopy(yLocal, yGm, 32);
    yQueue.EnQue(yLocal);
    yLocal = yQueue.DeQue<uint8_t>();
    LocalTensor<int32_t> zLocal = zQueue.AllocTensor<int32_t>();

    Select(zLocal, yLocal, xLocal, xLocal, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);  // expect: dtype-not-supported

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<int32_t>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    yQueue.FreeTensor(yLocal);
    zQueue.FreeTensor(zLocal);
}
