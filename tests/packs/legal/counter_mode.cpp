// Counter mode: one call of a strided form for 150 elements, repeat and tail by the hardware.
// fact: semantics 2.3
// in x: float32 192 = ramp
// out z: float32 192 = where(ramp < 150, (x + 1) * 2, 0)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 192);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 192);
    pipe.InitBuffer(xQueue, 1, 192 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 192 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 192);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    Duplicate(zLocal, 0.0f, 192);
    SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(0, 150);
    Adds<float, false>(zLocal, xLocal, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    Muls<float, false>(zLocal, zLocal, 2.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    SetMaskNorm();
    ResetMask();

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 192);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
