// A softmax of eight rows out of reductions and broadcasts.
// fact: semantics 4, 14
// in x: float32 512 = normal
// out z: float32 512 = (lambda e: (e / e.sum(1, keepdims=True)).ravel())(exp(x.reshape(8, 64) - x.reshape(8, 64).max(1, keepdims=True)))
// tolerance: 1e-4

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TBuf<TPosition::VECCALC> workBuf;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 512);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 512);
    pipe.InitBuffer(xQueue, 1, 512 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 512 * sizeof(float));
    pipe.InitBuffer(workBuf, 8 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 512);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();
    LocalTensor<float> work = workBuf.Get<float>();

    for (int row = 0; row < 8; ++row) {
        LocalTensor<float> r = xLocal[row * 64];
        WholeReduceMax(work, r, 64, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
        float best = work.GetValue(0);
        Adds(r, r, -best, 64);
        Exp(r, r, 64);
        WholeReduceSum(work, r, 64, 1, 1, 1, 8);
        float sum = work.GetValue(0);
        Muls(zLocal[row * 64], r, 1.0f / sum, 64);
    }

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 512);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
