// A Horner scheme unrolled by recursive templates over a constexpr table.
// fact: semantics 19: C++11 to 20
// in x: float32 64 = ramp % 8
// out z: float32 64 = ((2 * x - 1) * x + 3) * x + 5

#include "kernel_operator.h"

using namespace AscendC;

struct Coefficients {
    static constexpr float value[4] = {2.0f, -1.0f, 3.0f, 5.0f};
};

template <int I>
struct Horner {
    __aicore__ static inline void Step(LocalTensor<float>& acc, const LocalTensor<float>& x)
    {
        Mul(acc, acc, x, 64);
        Adds(acc, acc, Coefficients::value[I], 64);
        Horner<I + 1>::Step(acc, x);
    }
};

template <>
struct Horner<4> {
    __aicore__ static inline void Step(LocalTensor<float>&, const LocalTensor<float>&) {}
};

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

    Duplicate(zLocal, Coefficients::value[0], 64);
    Horner<1>::Step(zLocal, xLocal);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
