// Logic on 32-bit words through 16-bit views with twice the count.
// fact: pitfalls 65
// in x: int32 64 = integers * 12345
// in y: int32 64 = integers * 54321
// out z: int32 64 = ~(x | y) & x

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
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(int32_t));
    pipe.InitBuffer(yQueue, 1, 64 * sizeof(int32_t));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(int32_t));

    LocalTensor<int32_t> xLocal = xQueue.AllocTensor<int32_t>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<int32_t>();
    LocalTensor<int32_t> yLocal = yQueue.AllocTensor<int32_t>();
    DataCopy(yLocal, yGm, 64);
    yQueue.EnQue(yLocal);
    yLocal = yQueue.DeQue<int32_t>();
    LocalTensor<int32_t> zLocal = zQueue.AllocTensor<int32_t>();

    LocalTensor<uint16_t> a = xLocal.ReinterpretCast<uint16_t>();
    LocalTensor<uint16_t> b = yLocal.ReinterpretCast<uint16_t>();
    LocalTensor<uint16_t> c = zLocal.ReinterpretCast<uint16_t>();
    Or(c, a, b, 128);
    Not(c, c, 128);
    And(c, c, a, 128);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<int32_t>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    yQueue.FreeTensor(yLocal);
    zQueue.FreeTensor(zLocal);
}
