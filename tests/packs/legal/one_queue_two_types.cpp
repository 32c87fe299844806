// One queue carries tensors of different element types, one after the other.
// fact: overloads 2.8
// in x: float32 32 = ramp
// in y: int16 64 = integers
// out z: float32 32 = x + 1
// out w: int16 64 = y + int16(2)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 32);
    GlobalTensor<int16_t> yGm;
    yGm.SetGlobalBuffer((__gm__ int16_t*)y, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 32);
    GlobalTensor<int16_t> wGm;
    wGm.SetGlobalBuffer((__gm__ int16_t*)w, 64);

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 1, 128);
    pipe.InitBuffer(outQueue, 1, 128);
    LocalTensor<float> f = inQueue.AllocTensor<float>();
    DataCopy(f, xGm, 32);
    inQueue.EnQue(f);
    f = inQueue.DeQue<float>();
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    Adds(u, f, 1.0f, 32);
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    DataCopy(zGm, u, 32);
    outQueue.FreeTensor(u);
    inQueue.FreeTensor(f);
    LocalTensor<int16_t> s = inQueue.AllocTensor<int16_t>();
    DataCopy(s, yGm, 64);
    inQueue.EnQue(s);
    s = inQueue.DeQue<int16_t>();
    LocalTensor<int16_t> v = outQueue.AllocTensor<int16_t>();
    Adds(v, s, static_cast<int16_t>(2), 64);
    outQueue.EnQue(v);
    v = outQueue.DeQue<int16_t>();
    DataCopy(wGm, v, 64);
    outQueue.FreeTensor(v);
    inQueue.FreeTensor(s);
}
