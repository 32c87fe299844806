// int64 to int32 and to float.
// fact: semantics 10
// in x: int64 32 = integers
// out z: int32 32 = x
// out w: float32 32 = x

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR w, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TQue<TPosition::VECOUT, 1> wQueue;
    GlobalTensor<int64_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int64_t*)x, 32);
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 32);
    GlobalTensor<float> wGm;
    wGm.SetGlobalBuffer((__gm__ float*)w, 32);
    pipe.InitBuffer(xQueue, 1, 32 * sizeof(int64_t));
    pipe.InitBuffer(zQueue, 1, 32 * sizeof(int32_t));
    pipe.InitBuffer(wQueue, 1, 32 * sizeof(float));

    LocalTensor<int64_t> xLocal = xQueue.AllocTensor<int64_t>();
    DataCopy(xLocal, xGm, 32);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<int64_t>();
    LocalTensor<int32_t> zLocal = zQueue.AllocTensor<int32_t>();
    LocalTensor<float> wLocal = wQueue.AllocTensor<float>();

    Cast(zLocal, xLocal, RoundMode::CAST_NONE, 32);
    Cast(wLocal, xLocal, RoundMode::CAST_RINT, 32);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<int32_t>();
    DataCopy(zGm, zLocal, 32);
    wQueue.EnQue(wLocal);
    wLocal = wQueue.DeQue<float>();
    DataCopy(wGm, wLocal, 32);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
    wQueue.FreeTensor(wLocal);
}
