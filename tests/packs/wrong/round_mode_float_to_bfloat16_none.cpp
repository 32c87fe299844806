// A Cast from float to bfloat16_t has no CAST_NONE.
// fact: pitfalls 53
// in x: float32 64 = normal
// out z: bfloat16 64

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<bfloat16_t> zGm;
    zGm.SetGlobalBuffer((__gm__ bfloat16_t*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(bfloat16_t));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<bfloat16_t> zLocal = zQueue.AllocTensor<bfloat16_t>();

    Cast(zLocal, xLocal, RoundMode::CAST_NONE, 64);  // expect: cast-not-supported

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<bfloat16_t>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
