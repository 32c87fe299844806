// Absolute values by clearing the sign bits through a 16-bit view.
// fact: semantics 20
// in x: float16 64 = normal
// out z: float16 64 = abs(x)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TBuf<TPosition::VECCALC> maskBuf;
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 64);
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer((__gm__ half*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(half));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(half));
    pipe.InitBuffer(maskBuf, 64 * sizeof(uint16_t));

    LocalTensor<half> xLocal = xQueue.AllocTensor<half>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<half>();
    LocalTensor<half> zLocal = zQueue.AllocTensor<half>();
    LocalTensor<uint16_t> mask = maskBuf.Get<uint16_t>();

    LocalTensor<uint16_t> bits = xLocal.ReinterpretCast<uint16_t>();
    Duplicate(mask, static_cast<uint16_t>(0x7fff), 64);
    And(zLocal.ReinterpretCast<uint16_t>(), bits, mask, 64);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<half>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
