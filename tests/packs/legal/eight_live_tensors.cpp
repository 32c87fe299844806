// Eight tensors of one position at once are as many as there are event ids.
// fact: pitfalls 1
// in x: float32 64 = ramp
// out z: float32 8 = x.reshape(8, 8).sum(0)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 8);

    TPipe pipe;
    TQue<TPosition::VECIN, 8> many;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(many, 8, 32);
    pipe.InitBuffer(outQueue, 1, 32);
    for (int i = 0; i < 8; ++i) {
        LocalTensor<float> t = many.AllocTensor<float>();
        DataCopy(t, xGm[i * 8], 8);
        many.EnQue(t);
    }
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    Duplicate(u, 0.0f, 8);
    for (int i = 0; i < 8; ++i) {
        LocalTensor<float> t = many.DeQue<float>();
        Add(u, u, t, 8);
        many.FreeTensor(t);
    }
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    DataCopy(zGm, u, 8);
    outQueue.FreeTensor(u);
}
