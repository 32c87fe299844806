// One template for two types, with if constexpr.
// fact: semantics 19: C++17
// in x: float32 64 = ramp / 2
// out z: float16 64 = x
// out w: int32 64 = floor(x)

#include "kernel_operator.h"

using namespace AscendC;

template <typename To>
__aicore__ inline void Round(const LocalTensor<To>& to, const LocalTensor<float>& from)
{
    if constexpr (IsSameType<To, half>::value) {
        Cast(to, from, RoundMode::CAST_NONE, 64);
    } else {
        Cast(to, from, RoundMode::CAST_FLOOR, 64);
    }
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR w, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TQue<TPosition::VECOUT, 1> wQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer((__gm__ half*)z, 64);
    GlobalTensor<int32_t> wGm;
    wGm.SetGlobalBuffer((__gm__ int32_t*)w, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(half));
    pipe.InitBuffer(wQueue, 1, 64 * sizeof(int32_t));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<half> zLocal = zQueue.AllocTensor<half>();
    LocalTensor<int32_t> wLocal = wQueue.AllocTensor<int32_t>();

    Round<half>(zLocal, xLocal);
    Round<int32_t>(wLocal, xLocal);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<half>();
    DataCopy(zGm, zLocal, 64);
    wQueue.EnQue(wLocal);
    wLocal = wQueue.DeQue<int32_t>();
    DataCopy(wGm, wLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
    wQueue.FreeTensor(wLocal);
}
