// Library forms without a count work on the whole tensor.
// fact: overloads 2.3, semantics 22
// in x: float32 64 = (ramp - 32) / 4
// out z: float32 64 = 1 / (1 + exp(-x))
// out w: float32 64 = trunc(x)
// tolerance: 1e-4

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR w, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TQue<TPosition::VECOUT, 1> wQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);
    GlobalTensor<float> wGm;
    wGm.SetGlobalBuffer((__gm__ float*)w, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(wQueue, 1, 64 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();
    LocalTensor<float> wLocal = wQueue.AllocTensor<float>();

    Sigmoid(zLocal, xLocal);
    Trunc(wLocal, xLocal);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 64);
    wQueue.EnQue(wLocal);
    wLocal = wQueue.DeQue<float>();
    DataCopy(wGm, wLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
    wQueue.FreeTensor(wLocal);
}
