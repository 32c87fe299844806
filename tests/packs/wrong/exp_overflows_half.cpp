// exp of 12 is more than half can hold.
// fact: semantics 11
// in x: float16 64 = full(64, 12)
// out z: float32 64 = exp(x.astype("float32"))
// expect: non-finite

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TBuf<TPosition::VECCALC> workBuf;
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(half));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(workBuf, 64 * sizeof(half));

    LocalTensor<half> xLocal = xQueue.AllocTensor<half>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<half>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();
    LocalTensor<half> work = workBuf.Get<half>();

    Exp(work, xLocal, 64);
    Cast(zLocal, work, RoundMode::CAST_NONE, 64);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
