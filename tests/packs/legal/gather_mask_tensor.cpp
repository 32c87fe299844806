// A user pattern in counter mode; the number of kept elements is dynamic.
// fact: semantics 12
// in x: float32 64 = normal
// out z: float32 64 = concatenate([x[x > 0], zeros((x <= 0).sum())])
// out w: int32 8 = full(8, (x > 0).sum())

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR w, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TQue<TPosition::VECOUT, 1> wQueue;
    TBuf<TPosition::VECCALC> bitsBuf;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);
    GlobalTensor<int32_t> wGm;
    wGm.SetGlobalBuffer((__gm__ int32_t*)w, 8);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(wQueue, 1, 8 * sizeof(int32_t));
    pipe.InitBuffer(bitsBuf, 32 * sizeof(uint8_t));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();
    LocalTensor<int32_t> wLocal = wQueue.AllocTensor<int32_t>();
    LocalTensor<uint8_t> bits = bitsBuf.Get<uint8_t>();

    CompareScalar(bits, xLocal, 0.0f, CMPMODE::GT, 64);
    Duplicate(zLocal, 0.0f, 64);
    uint64_t kept = 0;
    GatherMask(zLocal, xLocal, bits.ReinterpretCast<uint32_t>(), true, 64, {1, 1, 8, 1}, kept);
    Duplicate(wLocal, static_cast<int32_t>(kept), 8);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 64);
    wQueue.EnQue(wLocal);
    wLocal = wQueue.DeQue<int32_t>();
    DataCopy(wGm, wLocal, 8);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
    wQueue.FreeTensor(wLocal);
}
