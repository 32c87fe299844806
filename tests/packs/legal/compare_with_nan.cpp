// Every comparison with a NaN is false, also NE.
// fact: semantics 9
// in x: float32 256 = where(ramp % 3 == 0, nan, ramp)
// out z: uint8 32 = zeros(32)
// out w: uint8 32 = packbits(arange(256) % 3 != 0, bitorder="little")

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR w, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TQue<TPosition::VECOUT, 1> wQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 256);
    GlobalTensor<uint8_t> zGm;
    zGm.SetGlobalBuffer((__gm__ uint8_t*)z, 32);
    GlobalTensor<uint8_t> wGm;
    wGm.SetGlobalBuffer((__gm__ uint8_t*)w, 32);
    pipe.InitBuffer(xQueue, 1, 256 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 32 * sizeof(uint8_t));
    pipe.InitBuffer(wQueue, 1, 32 * sizeof(uint8_t));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 256);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<uint8_t> zLocal = zQueue.AllocTensor<uint8_t>();
    LocalTensor<uint8_t> wLocal = wQueue.AllocTensor<uint8_t>();

    Compare(zLocal, xLocal, xLocal, CMPMODE::NE, 256);
    Compare(wLocal, xLocal, xLocal, CMPMODE::EQ, 256);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<uint8_t>();
    DataCopy(zGm, zLocal, 32);
    wQueue.EnQue(wLocal);
    wLocal = wQueue.DeQue<uint8_t>();
    DataCopy(wGm, wLocal, 32);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
    wQueue.FreeTensor(wLocal);
}
