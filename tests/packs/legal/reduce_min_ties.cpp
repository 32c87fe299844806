// Equal values: the smallest index wins.
// fact: semantics 4
// in x: float32 256 = where(ramp % 50 == 30, -1, ramp)
// out z: float32 8 = concatenate([[-1], array([30], "uint32").view("float32"), zeros(6)])
// out w: int32 8 = full(8, 30)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR w, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TQue<TPosition::VECOUT, 1> wQueue;
    TBuf<TPosition::VECCALC> workBuf;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 256);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 8);
    GlobalTensor<int32_t> wGm;
    wGm.SetGlobalBuffer((__gm__ int32_t*)w, 8);
    pipe.InitBuffer(xQueue, 1, 256 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 8 * sizeof(float));
    pipe.InitBuffer(wQueue, 1, 8 * sizeof(int32_t));
    pipe.InitBuffer(workBuf, 32 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 256);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();
    LocalTensor<int32_t> wLocal = wQueue.AllocTensor<int32_t>();
    LocalTensor<float> work = workBuf.Get<float>();

    Duplicate(zLocal, 0.0f, 8);
    ReduceMin(zLocal, xLocal, work, 256, true);
    int32_t index = zLocal.ReinterpretCast<int32_t>().GetValue(1);
    Duplicate(wLocal, index, 8);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 8);
    wQueue.EnQue(wLocal);
    wLocal = wQueue.DeQue<int32_t>();
    DataCopy(wGm, wLocal, 8);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
    wQueue.FreeTensor(wLocal);
}
