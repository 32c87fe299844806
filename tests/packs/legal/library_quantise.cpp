// AscendQuant rounds and saturates to int8.
// fact: semantics 22
// in x: float16 64 = ramp * 2 - 60
// out z: int8 64 = clip(rint(x * 2 + 1), -128, 127)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 64);
    GlobalTensor<int8_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int8_t*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(half));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(int8_t));

    LocalTensor<half> xLocal = xQueue.AllocTensor<half>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<half>();
    LocalTensor<int8_t> zLocal = zQueue.AllocTensor<int8_t>();

    AscendQuant(zLocal, xLocal, 2.0f, 1.0f, 64);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<int8_t>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
