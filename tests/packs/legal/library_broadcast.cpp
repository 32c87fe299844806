// Broadcast expands columns, under both spellings.
// fact: overloads 1.2
// in x: float32 8 = normal
// in y: float32 16 = normal
// out z: float32 64 = repeat(x[:4], 16)
// out w: float32 64 = tile(y, 4)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECIN, 1> yQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TQue<TPosition::VECOUT, 1> wQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 8);
    GlobalTensor<float> yGm;
    yGm.SetGlobalBuffer((__gm__ float*)y, 16);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);
    GlobalTensor<float> wGm;
    wGm.SetGlobalBuffer((__gm__ float*)w, 64);
    pipe.InitBuffer(xQueue, 1, 8 * sizeof(float));
    pipe.InitBuffer(yQueue, 1, 16 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(wQueue, 1, 64 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 8);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> yLocal = yQueue.AllocTensor<float>();
    DataCopy(yLocal, yGm, 16);
    yQueue.EnQue(yLocal);
    yLocal = yQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();
    LocalTensor<float> wLocal = wQueue.AllocTensor<float>();

    const uint32_t to[2] = {4, 16};
    const uint32_t column[2] = {4, 1};
    const uint32_t row[2] = {1, 16};
    Broadcast<float, 2, 1>(zLocal, xLocal, to, column);
    BroadCast<float, 2, 0>(wLocal, yLocal, to, row);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 64);
    wQueue.EnQue(wLocal);
    wLocal = wQueue.DeQue<float>();
    DataCopy(wGm, wLocal, 64);
    xQueue.FreeTensor(xLocal);
    yQueue.FreeTensor(yLocal);
    zQueue.FreeTensor(zLocal);
    wQueue.FreeTensor(wLocal);
}
