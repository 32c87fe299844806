// Lambdas that capture tensors, given to a template.
// fact: C++11
// in x: float32 64 = ramp
// out z: float32 64 = x + ramp // 16 * 16 + 64

#include "kernel_operator.h"

using namespace AscendC;

template <typename Body>
__aicore__ inline void ForEachTile(uint32_t tiles, uint32_t length, Body body)
{
    for (uint32_t i = 0; i < tiles; ++i) {
        body(i * length, length);
    }
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    float sum = 0.0f;
    ForEachTile(4, 16, [&](uint32_t offset, uint32_t n) {
        Adds(zLocal[offset], xLocal[offset], static_cast<float>(offset), n);
        sum += static_cast<float>(n);
    });
    Adds(zLocal, zLocal, sum, 64);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
