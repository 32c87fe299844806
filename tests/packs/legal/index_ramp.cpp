// CreateVecIndex in its strided form and of half.
// fact: semantics 14
// in x: float32 8 = normal
// out z: int32 64 = arange(64) + 5
// out w: float16 32 = arange(32) + 1

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
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 64);
    GlobalTensor<half> wGm;
    wGm.SetGlobalBuffer((__gm__ half*)w, 32);
    pipe.InitBuffer(xQueue, 1, 8 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(int32_t));
    pipe.InitBuffer(wQueue, 1, 32 * sizeof(half));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 8);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<int32_t> zLocal = zQueue.AllocTensor<int32_t>();
    LocalTensor<half> wLocal = wQueue.AllocTensor<half>();

    CreateVecIndex(zLocal, static_cast<int32_t>(5), 64, 1, 1, 8);
    CreateVecIndex(wLocal, static_cast<half>(1), 32);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<int32_t>();
    DataCopy(zGm, zLocal, 64);
    wQueue.EnQue(wLocal);
    wLocal = wQueue.DeQue<half>();
    DataCopy(wGm, wLocal, 32);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
    wQueue.FreeTensor(wLocal);
}
