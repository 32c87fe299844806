// There is no Cast from int8_t to float on this chip.
// fact: semantics 10
// in x: int8 64 = integers
// out z: float32 64

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<int8_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int8_t*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(int8_t));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(float));

    LocalTensor<int8_t> xLocal = xQueue.AllocTensor<int8_t>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<int8_t>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    Cast(zLocal, xLocal, RoundMode::CAST_RINT, 64);  // expect: cast-not-supported

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
