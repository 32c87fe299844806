// A built-in pattern keeps every fourth element.
// fact: semantics 12
// in x: float32 128 = normal
// out z: float32 32 = x[2::4]
// out w: int32 8 = full(8, 32)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR w, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TQue<TPosition::VECOUT, 1> wQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 128);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 32);
    GlobalTensor<int32_t> wGm;
    wGm.SetGlobalBuffer((__gm__ int32_t*)w, 8);
    pipe.InitBuffer(xQueue, 1, 128 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 32 * sizeof(float));
    pipe.InitBuffer(wQueue, 1, 8 * sizeof(int32_t));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 128);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();
    LocalTensor<int32_t> wLocal = wQueue.AllocTensor<int32_t>();

    uint64_t kept = 0;
    GatherMask(zLocal, xLocal, 5, false, 0, {1, 2, 8, 0}, kept);
    Duplicate(wLocal, static_cast<int32_t>(kept), 8);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 32);
    wQueue.EnQue(wLocal);
    wLocal = wQueue.DeQue<int32_t>();
    DataCopy(wGm, wLocal, 8);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
    wQueue.FreeTensor(wLocal);
}
