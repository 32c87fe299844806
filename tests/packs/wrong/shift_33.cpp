// A 32-bit element is shifted by at most 32.
// fact: pitfalls 66
// in x: int32 64 = integers
// out z: int32 64
// also: uninitialised-read

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<int32_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x, 64);
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(int32_t));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(int32_t));

    LocalTensor<int32_t> xLocal = xQueue.AllocTensor<int32_t>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<int32_t>();
    LocalTensor<int32_t> zLocal = zQueue.AllocTensor<int32_t>();

    ShiftLeft(zLocal, xLocal, 33, 64);  // expect: shift-range

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<int32_t>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
