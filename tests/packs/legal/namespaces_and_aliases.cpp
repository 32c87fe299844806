// Names through a namespace, an alias and a using declaration.
// fact: C++
// in x: float32 64 = ramp
// out z: float32 64 = x + x

#include "kernel_operator.h"

using namespace AscendC;

namespace ours {
namespace detail {
template <typename T>
__aicore__ inline void Run(const LocalTensor<T>& z, const LocalTensor<T>& x)
{
    AscendC::Add(z, x, x, static_cast<int32_t>(x.GetSize()));
}
}  // namespace detail

template <typename T>
using Tensor = AscendC::LocalTensor<T>;

__aicore__ inline void Twice(const Tensor<float>& z, const Tensor<float>& x) { detail::Run(z, x); }
}  // namespace ours

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

    ours::Twice(zLocal, xLocal);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
