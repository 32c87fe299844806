// A call without its closing bracket.
// fact: C++
// in x: float32 64 = normal
// out z: float32 64

#include "kernel_operator.h"

using namespace AscendC;

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

    Adds(zLocal, xLocal, 1.0f, 64;  // expect: syntax

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
