// ReduceMax by a pattern beside the ReduceMax by a count.
// fact: overloads 2.5
// in x: float32 128 = normal
// out z: float32 8 = x.reshape(8, 16).max(1)
// out w: float32 16 = x.reshape(8, 16).max(0)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR w, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TQue<TPosition::VECOUT, 1> wQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 128);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 8);
    GlobalTensor<float> wGm;
    wGm.SetGlobalBuffer((__gm__ float*)w, 16);
    pipe.InitBuffer(xQueue, 1, 128 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 8 * sizeof(float));
    pipe.InitBuffer(wQueue, 1, 16 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 128);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();
    LocalTensor<float> wLocal = wQueue.AllocTensor<float>();

    const uint32_t shape[2] = {8, 16};
    ReduceMax<float, Pattern::Reduce::AR>(zLocal, xLocal, shape, true);
    ReduceMax<float, Pattern::Reduce::RA>(wLocal, xLocal, shape, true);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 8);
    wQueue.EnQue(wLocal);
    wLocal = wQueue.DeQue<float>();
    DataCopy(wGm, wLocal, 16);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
    wQueue.FreeTensor(wLocal);
}
