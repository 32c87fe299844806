// Destroy ends a pipe; a second one may follow.
// fact: pitfalls 11
// in x: float32 64 = normal
// out z: float32 64 = x

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    {
        TPipe pipe;
        TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
        pipe.InitBuffer(queue, 1, 128);
        LocalTensor<float> t = queue.AllocTensor<float>();
        DataCopy(t, xGm, 32);
        queue.EnQue(t);
        t = queue.DeQue<float>();
        DataCopy(zGm, t, 32);
        queue.FreeTensor(t);
        pipe.Destroy();
    }
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 128);
    LocalTensor<float> t = queue.AllocTensor<float>();
    DataCopy(t, xGm[32], 32);
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(zGm[32], t, 32);
    queue.FreeTensor(t);
}
