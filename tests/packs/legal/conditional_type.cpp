// Conditional and constants of a compute type.
// fact: overloads 1.2
// in x: float16 64 = ramp
// out z: float16 64 = x / 2

#include "kernel_operator.h"

using namespace AscendC;

using Compute = typename Conditional<sizeof(half) == 2, float, half>::type;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TBuf<TPosition::VECCALC> wideBuf;
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 64);
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer((__gm__ half*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(half));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(half));
    pipe.InitBuffer(wideBuf, 64 * sizeof(Compute));

    LocalTensor<half> xLocal = xQueue.AllocTensor<half>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<half>();
    LocalTensor<half> zLocal = zQueue.AllocTensor<half>();
    LocalTensor<Compute> wide = wideBuf.Get<Compute>();

    Cast(wide, xLocal, RoundMode::CAST_NONE, 64);
    Muls(wide, wide, static_cast<Compute>(0.5f), 64);
    Cast(zLocal, wide, RoundMode::CAST_RINT, 64);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<half>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
