// bfloat16 to float, to half, to int8 and back to half.
// fact: semantics 10
// in x: bfloat16 64 = ramp * 1.5 - 40
// out z: float16 64 = floor(x.astype("float32"))

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TBuf<TPosition::VECCALC> wideBuf;
    TBuf<TPosition::VECCALC> narrowBuf;
    TBuf<TPosition::VECCALC> bytesBuf;
    GlobalTensor<bfloat16_t> xGm;
    xGm.SetGlobalBuffer((__gm__ bfloat16_t*)x, 64);
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer((__gm__ half*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(bfloat16_t));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(half));
    pipe.InitBuffer(wideBuf, 64 * sizeof(float));
    pipe.InitBuffer(narrowBuf, 64 * sizeof(half));
    pipe.InitBuffer(bytesBuf, 64 * sizeof(int8_t));

    LocalTensor<bfloat16_t> xLocal = xQueue.AllocTensor<bfloat16_t>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<bfloat16_t>();
    LocalTensor<half> zLocal = zQueue.AllocTensor<half>();
    LocalTensor<float> wide = wideBuf.Get<float>();
    LocalTensor<half> narrow = narrowBuf.Get<half>();
    LocalTensor<int8_t> bytes = bytesBuf.Get<int8_t>();

    Cast(wide, xLocal, RoundMode::CAST_NONE, 64);
    Cast(narrow, wide, RoundMode::CAST_RINT, 64);
    Cast(bytes, narrow, RoundMode::CAST_FLOOR, 64);
    Cast(zLocal, bytes, RoundMode::CAST_NONE, 64);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<half>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
