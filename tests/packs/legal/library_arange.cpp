// Arange with a step, under the old name too.
// fact: ascendc_api.csv: Arange
// in x: float32 8 = normal
// out z: int32 56 = concatenate([arange(50) * 2 + 3, zeros(6)])
// out w: float32 40 = 1 + arange(40) * 0.5

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR w, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TQue<TPosition::VECOUT, 1> wQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 8);
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 56);
    GlobalTensor<float> wGm;
    wGm.SetGlobalBuffer((__gm__ float*)w, 40);
    pipe.InitBuffer(xQueue, 1, 8 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 56 * sizeof(int32_t));
    pipe.InitBuffer(wQueue, 1, 40 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 8);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<int32_t> zLocal = zQueue.AllocTensor<int32_t>();
    LocalTensor<float> wLocal = wQueue.AllocTensor<float>();

    Duplicate(zLocal, static_cast<int32_t>(0), 56);
    ArithProgression(zLocal, static_cast<int32_t>(3), static_cast<int32_t>(2), 50);
    Duplicate(wLocal, 0.0f, 40);
    Arange(wLocal, 1.0f, 0.5f, 40);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<int32_t>();
    DataCopy(zGm, zLocal, 56);
    wQueue.EnQue(wLocal);
    wLocal = wQueue.DeQue<float>();
    DataCopy(wGm, wLocal, 40);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
    wQueue.FreeTensor(wLocal);
}
