// FusedMulAdd gives src0 * dst + src1, not src0 * src1 + dst.
// fact: semantics 3
// in x: float32 64 = normal
// in y: float32 64 = normal
// out z: float32 64 = x * y + 3
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
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> yGm;
    yGm.SetGlobalBuffer((__gm__ float*)y, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(yQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> yLocal = yQueue.AllocTensor<float>();
    DataCopy(yLocal, yGm, 64);
    yQueue.EnQue(yLocal);
    yLocal = yQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    Duplicate(zLocal, 3.0f, 64);
    FusedMulAdd(zLocal, xLocal, yLocal, 64);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    yQueue.FreeTensor(yLocal);
    zQueue.FreeTensor(zLocal);
}
