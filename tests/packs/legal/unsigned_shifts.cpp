// Unsigned shifts are logical, up to the width of the element.
// fact: semantics 21
// in x: uint32 64 = (ramp + 1) * 60000000
// out z: uint32 64 = x << 4
// out w: uint32 64 = zeros(64)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR w, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TQue<TPosition::VECOUT, 1> wQueue;
    GlobalTensor<uint32_t> xGm;
    xGm.SetGlobalBuffer((__gm__ uint32_t*)x, 64);
    GlobalTensor<uint32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ uint32_t*)z, 64);
    GlobalTensor<uint32_t> wGm;
    wGm.SetGlobalBuffer((__gm__ uint32_t*)w, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(uint32_t));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(uint32_t));
    pipe.InitBuffer(wQueue, 1, 64 * sizeof(uint32_t));

    LocalTensor<uint32_t> xLocal = xQueue.AllocTensor<uint32_t>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<uint32_t>();
    LocalTensor<uint32_t> zLocal = zQueue.AllocTensor<uint32_t>();
    LocalTensor<uint32_t> wLocal = wQueue.AllocTensor<uint32_t>();

    ShiftLeft(zLocal, xLocal, static_cast<uint32_t>(4), 64);
    ShiftRight(wLocal, xLocal, static_cast<uint32_t>(32), 64);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<uint32_t>();
    DataCopy(zGm, zLocal, 64);
    wQueue.EnQue(wLocal);
    wLocal = wQueue.DeQue<uint32_t>();
    DataCopy(wGm, wLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
    wQueue.FreeTensor(wLocal);
}
