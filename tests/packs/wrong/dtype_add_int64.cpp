// Add does not take int64_t on this chip.
// fact: pitfalls 52, overloads 3
// in x: int64 64 = integers
// out z: int64 64

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<int64_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int64_t*)x, 64);
    GlobalTensor<int64_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int64_t*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(int64_t));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(int64_t));

    LocalTensor<int64_t> xLocal = xQueue.AllocTensor<int64_t>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<int64_t>();
    LocalTensor<int64_t> zLocal = zQueue.AllocTensor<int64_t>();

    Add(zLocal, xLocal, xLocal, 64);  // expect: dtype-not-supported

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<int64_t>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
