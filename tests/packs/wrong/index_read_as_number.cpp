// ReduceMax returns the bits of the index; Cast takes them for a float.
// fact: pitfalls 59
// in x: float32 64 = ramp
// out y: float32 8 = zeros(8)
// out z: int32 8 = full(8, 63)
// expect: numeric-mismatch

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> yQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TBuf<TPosition::VECCALC> workBuf;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> yGm;
    yGm.SetGlobalBuffer((__gm__ float*)y, 8);
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 8);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(yQueue, 1, 8 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 8 * sizeof(int32_t));
    pipe.InitBuffer(workBuf, 64 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> yLocal = yQueue.AllocTensor<float>();
    LocalTensor<int32_t> zLocal = zQueue.AllocTensor<int32_t>();
    LocalTensor<float> work = workBuf.Get<float>();

    ReduceMax(yLocal, xLocal, work, 64, true);
    float index = yLocal.GetValue(1);
    Duplicate(zLocal, static_cast<int32_t>(index), 8);
    Duplicate(yLocal, 0.0f, 8);

    yQueue.EnQue(yLocal);
    yLocal = yQueue.DeQue<float>();
    DataCopy(yGm, yLocal, 8);
    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<int32_t>();
    DataCopy(zGm, zLocal, 8);
    xQueue.FreeTensor(xLocal);
    yQueue.FreeTensor(yLocal);
    zQueue.FreeTensor(zLocal);
}
