// 255 repeats in one call and the rest in a second one.
// fact: pitfalls 47
// in x: float16 4800 = ramp % 1000
// out z: float16 4800 = x + 1

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 4800);
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer((__gm__ half*)z, 4800);
    pipe.InitBuffer(xQueue, 1, 4800 * sizeof(half));
    pipe.InitBuffer(zQueue, 1, 4800 * sizeof(half));

    LocalTensor<half> xLocal = xQueue.AllocTensor<half>();
    DataCopy(xLocal, xGm, 4800);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<half>();
    LocalTensor<half> zLocal = zQueue.AllocTensor<half>();

    Adds(zLocal, xLocal, static_cast<half>(1), 16, 255, {1, 1, 1, 1});
    Adds(zLocal[255 * 16], xLocal[255 * 16], static_cast<half>(1), 16, 45, {1, 1, 1, 1});

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<half>();
    DataCopy(zGm, zLocal, 4800);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
