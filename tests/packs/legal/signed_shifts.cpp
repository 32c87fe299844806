// The signed ShiftLeft keeps the sign bit; ShiftRight is arithmetic.
// fact: semantics 21
// in x: int16 64 = where(ramp % 2 == 0, -21846, 1234)
// out z: int16 64 = where(ramp % 2 == 0, -10924, 2468)
// out w: int16 64 = x >> 2

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR w, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TQue<TPosition::VECOUT, 1> wQueue;
    GlobalTensor<int16_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int16_t*)x, 64);
    GlobalTensor<int16_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int16_t*)z, 64);
    GlobalTensor<int16_t> wGm;
    wGm.SetGlobalBuffer((__gm__ int16_t*)w, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(int16_t));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(int16_t));
    pipe.InitBuffer(wQueue, 1, 64 * sizeof(int16_t));

    LocalTensor<int16_t> xLocal = xQueue.AllocTensor<int16_t>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<int16_t>();
    LocalTensor<int16_t> zLocal = zQueue.AllocTensor<int16_t>();
    LocalTensor<int16_t> wLocal = wQueue.AllocTensor<int16_t>();

    ShiftLeft(zLocal, xLocal, static_cast<int16_t>(1), 64);
    ShiftRight(wLocal, xLocal, static_cast<int16_t>(2), 64);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<int16_t>();
    DataCopy(zGm, zLocal, 64);
    wQueue.EnQue(wLocal);
    wLocal = wQueue.DeQue<int16_t>();
    DataCopy(wGm, wLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
    wQueue.FreeTensor(wLocal);
}
