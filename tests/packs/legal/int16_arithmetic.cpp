// Arithmetic of int16_t wraps.
// fact: semantics 11
// in x: int16 64 = ramp * 1000 - 20000
// out z: int16 64 = clip((x + x) * int16(3), -5, 20000)

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

    Add(zLocal, xLocal, xLocal, 64);
    Muls(zLocal, zLocal, static_cast<int16_t>(3), 64);
    Maxs(zLocal, zLocal, static_cast<int16_t>(-5), 64);
    Mins(zLocal, zLocal, static_cast<int16_t>(20000), 64);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<int16_t>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
