// Masked lanes take no part in a reduction.
// fact: semantics 4
// in x: float32 128 = ramp
// out z: float32 8 = [7, x[64:72].sum(), 0, 0, 0, 0, 0, 0]

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 128);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 8);
    pipe.InitBuffer(xQueue, 1, 128 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 8 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 128);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    uint64_t mask[2] = {0xff, 0};
    Duplicate(zLocal, 0.0f, 8);
    WholeReduceSum(zLocal, xLocal, mask, 2, 1, 1, 8);
    WholeReduceMax(zLocal[0], xLocal, 8, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 8);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
