// Kernel macros: a loop unrolled by the preprocessor.
// fact: C++
// in x: float32 24 = ramp
// out z: float32 24 = x + ramp // 8

#include "kernel_operator.h"

using namespace AscendC;

#define PARTS 3
#define ADD_PART(i) Adds(zLocal[(i) * 8], xLocal[(i) * 8], static_cast<float>(i), 8);

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 24);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 24);
    pipe.InitBuffer(xQueue, 1, 24 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 24 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 24);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    ADD_PART(0)
    ADD_PART(1)
    #if defined(PARTS) && PARTS > 2
    ADD_PART(2)
    #endif

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 24);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
