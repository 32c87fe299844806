// Every second block of 8 floats by DataCopyParams.
// fact: semantics 15
// in x: float32 64 = normal
// out z: float32 32 = x.reshape(4, 2, 8)[:, 0].ravel()

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 32);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 128);
    LocalTensor<float> t = queue.AllocTensor<float>();
    DataCopy(t, xGm, {4, 1, 1, 0});
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(zGm, t, 32);
    queue.FreeTensor(t);
}
