// The inner length of Sum is a multiple of 32 bytes.
// fact: overloads 1.2: SumParams
// in x: float32 8 = normal
// out z: float32 8
// also: uninitialised-read

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 8);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 8);
    pipe.InitBuffer(xQueue, 1, 8 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 8 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 8);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    Sum(zLocal, xLocal, SumParams{1, 5, 5});  // expect: count-alignment

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 8);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
