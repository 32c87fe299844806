// A repeat holds 128 halves.
// fact: pitfalls 49
// in x: float16 128 = normal
// out z: float16 128

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 128);
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer((__gm__ half*)z, 128);
    pipe.InitBuffer(xQueue, 1, 128 * sizeof(half));
    pipe.InitBuffer(zQueue, 1, 128 * sizeof(half));

    LocalTensor<half> xLocal = xQueue.AllocTensor<half>();
    DataCopy(xLocal, xGm, 128);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<half>();
    LocalTensor<half> zLocal = zQueue.AllocTensor<half>();

    Adds(zLocal, xLocal, static_cast<half>(1.0f), 129, 1, {1, 1, 8, 8});  // expect: mask-range

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<half>();
    DataCopy(zGm, zLocal, 128);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
