// Counter mode stays on: the mask of 64 is taken for a total of 64 elements.
// fact: pitfalls 50
// in x: float32 128 = normal
// out z: float32 128

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 128);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 128);
    pipe.InitBuffer(xQueue, 1, 128 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 128 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 128);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    SetMaskCount();
    Adds(zLocal, xLocal, 1.0f, 64, 2, {1, 1, 8, 8});
    SetMaskNorm();
    ResetMask();

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 128);  // expect: uninitialised-read
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
