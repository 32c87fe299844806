// There is no Cast from float to int8_t on this chip.
// fact: semantics 10
// in x: float32 64 = normal
// out z: int8 64

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<int8_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int8_t*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(int8_t));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<int8_t> zLocal = zQueue.AllocTensor<int8_t>();

    Cast(zLocal, xLocal, RoundMode::CAST_RINT, 64);  // expect: cast-not-supported

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<int8_t>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
