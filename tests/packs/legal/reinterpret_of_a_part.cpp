// A reinterpretation of the second half of a tensor has the size of that half.
// fact: semantics 20
// in x: float32 64 = normal
// out z: int32 64 = concatenate([full(32, 32), x.view("int32")[32:]])

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(int32_t));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<int32_t> zLocal = zQueue.AllocTensor<int32_t>();

    LocalTensor<int32_t> back = xLocal[32].ReinterpretCast<int32_t>();
    Duplicate(zLocal, static_cast<int32_t>(back.GetSize()), 64);
    Adds(zLocal[32], back, static_cast<int32_t>(0), 32);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<int32_t>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
