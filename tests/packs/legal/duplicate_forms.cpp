// Duplicate: bits, strides, bfloat16.
// fact: overloads 2.4
// in x: float32 8 = normal
// out z: uint32 64 = where(arange(64) % 8 < 4, 1, 9)
// out w: bfloat16 32 = full(32, 2.5)

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
    GlobalTensor<uint32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ uint32_t*)z, 64);
    GlobalTensor<bfloat16_t> wGm;
    wGm.SetGlobalBuffer((__gm__ bfloat16_t*)w, 32);
    pipe.InitBuffer(xQueue, 1, 8 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(uint32_t));
    pipe.InitBuffer(wQueue, 1, 32 * sizeof(bfloat16_t));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 8);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<uint32_t> zLocal = zQueue.AllocTensor<uint32_t>();
    LocalTensor<bfloat16_t> wLocal = wQueue.AllocTensor<bfloat16_t>();

    uint64_t mask[2] = {0xf0f0f0f0f0f0f0f0, 0};
    Duplicate(zLocal, static_cast<uint32_t>(1), 64);
    Duplicate(zLocal, static_cast<uint32_t>(9), mask, 1, 1, 8);
    Duplicate(wLocal, ToBfloat16(2.5f), 32);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<uint32_t>();
    DataCopy(zGm, zLocal, 64);
    wQueue.EnQue(wLocal);
    wLocal = wQueue.DeQue<bfloat16_t>();
    DataCopy(wGm, wLocal, 32);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
    wQueue.FreeTensor(wLocal);
}
