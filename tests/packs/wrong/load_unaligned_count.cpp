// 60 floats are 240 bytes; DataCopy moves whole blocks of 32 bytes only.
// fact: pitfalls 30
// in x: float32 60 = normal
// out z: float32 60
// also: output-not-written

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 60);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 60);
    pipe.InitBuffer(xQueue, 1, 60 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 60 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 60);  // expect: unaligned-copy
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    Adds(zLocal, xLocal, 1.0f, 64);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 60);  // expect: unaligned-copy
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
