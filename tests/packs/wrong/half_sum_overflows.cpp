// A sum in half overflows at 65504.
// fact: pitfalls 61
// in x: float16 128 = full(128, 1000)
// out z: float32 8 = full(8, 128000)
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
    xGm.SetGlobalBuffer((__gm__ half*)x, 128);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 8);
    pipe.InitBuffer(xQueue, 1, 128 * sizeof(half));
    pipe.InitBuffer(zQueue, 1, 8 * sizeof(float));
    pipe.InitBuffer(workBuf, 16 * sizeof(half));

    LocalTensor<half> xLocal = xQueue.AllocTensor<half>();
    DataCopy(xLocal, xGm, 128);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<half>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();
    LocalTensor<half> work = workBuf.Get<half>();

    WholeReduceSum(work, xLocal, 128, 1, 1, 1, 8);
    half total = work.GetValue(0);
    Duplicate(zLocal, static_cast<float>(total), 8);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 8);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
