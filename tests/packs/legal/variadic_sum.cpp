// A variadic template adds any number of tensors.
// fact: C++11
// in x: float32 64 = ramp
// out z: float32 16 = x.reshape(4, 16).sum(0)

#include "kernel_operator.h"

using namespace AscendC;

__aicore__ inline void AddAll(const LocalTensor<float>&, int32_t) {}

template <typename First, typename... Rest>
__aicore__ inline void AddAll(const LocalTensor<float>& acc, int32_t n, const First& first, const Rest&... rest)
{
    Add(acc, acc, first, n);
    AddAll(acc, n, rest...);
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 16);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 16 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    Duplicate(zLocal, 0.0f, 16);
    AddAll(zLocal, 16, xLocal, xLocal[16], xLocal[32], xLocal[48]);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 16);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
