// The strided ReduceSum takes more than 255 repeats.
// fact: semantics 4
// in x: float32 2400 = ramp % 10
// out z: float32 8 = concatenate([[x.sum()], zeros(7)])

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TBuf<TPosition::VECCALC> workBuf;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 2400);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 8);
    pipe.InitBuffer(xQueue, 1, 2400 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 8 * sizeof(float));
    pipe.InitBuffer(workBuf, 304 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 2400);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();
    LocalTensor<float> work = workBuf.Get<float>();

    Duplicate(zLocal, 0.0f, 8);
    ReduceSum(zLocal, xLocal, work, 8, 300, 1);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 8);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
