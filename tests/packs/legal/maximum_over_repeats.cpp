// Max accumulates over repeats, too.
// fact: semantics 2.4
// in x: float16 384 = normal
// out z: float16 128 = x.reshape(3, 128).max(0)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 384);
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer((__gm__ half*)z, 128);
    pipe.InitBuffer(xQueue, 1, 384 * sizeof(half));
    pipe.InitBuffer(zQueue, 1, 128 * sizeof(half));

    LocalTensor<half> xLocal = xQueue.AllocTensor<half>();
    DataCopy(xLocal, xGm, 384);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<half>();
    LocalTensor<half> zLocal = zQueue.AllocTensor<half>();

    Duplicate(zLocal, static_cast<half>(-1000), 128);
    Max(zLocal, xLocal, zLocal, 128, 3, {1, 1, 1, 0, 8, 0});

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<half>();
    DataCopy(zGm, zLocal, 128);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
