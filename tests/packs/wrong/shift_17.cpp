// A 16-bit element is shifted by at most 16.
// fact: pitfalls 66
// in x: int16 64 = integers
// out z: int16 64
// also: uninitialised-read

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<int16_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int16_t*)x, 64);
    GlobalTensor<int16_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int16_t*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(int16_t));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(int16_t));

    LocalTensor<int16_t> xLocal = xQueue.AllocTensor<int16_t>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<int16_t>();
    LocalTensor<int16_t> zLocal = zQueue.AllocTensor<int16_t>();

    ShiftRight(zLocal, xLocal, static_cast<int16_t>(17), 64);  // expect: shift-range

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<int16_t>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
