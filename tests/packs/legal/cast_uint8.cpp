// uint8 to half and back with clamping at 255.
// fact: semantics 10
// in x: uint8 64 = ramp * 4
// out z: uint8 64 = minimum(x.astype("int32") + 100, 255)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TBuf<TPosition::VECCALC> wideBuf;
    GlobalTensor<uint8_t> xGm;
    xGm.SetGlobalBuffer((__gm__ uint8_t*)x, 64);
    GlobalTensor<uint8_t> zGm;
    zGm.SetGlobalBuffer((__gm__ uint8_t*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(uint8_t));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(uint8_t));
    pipe.InitBuffer(wideBuf, 64 * sizeof(half));

    LocalTensor<uint8_t> xLocal = xQueue.AllocTensor<uint8_t>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<uint8_t>();
    LocalTensor<uint8_t> zLocal = zQueue.AllocTensor<uint8_t>();
    LocalTensor<half> wide = wideBuf.Get<half>();

    Cast(wide, xLocal, RoundMode::CAST_NONE, 64);
    Adds(wide, wide, static_cast<half>(100), 64);
    Cast(zLocal, wide, RoundMode::CAST_RINT, 64);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<uint8_t>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
