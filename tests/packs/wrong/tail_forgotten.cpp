// 100 / 32 tiles leave four elements.
// fact: tiling
// in x: float32 100 = normal
// out z: float32 100
// expect: output-not-written

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 100);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 100);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 2, 128);
    for (int i = 0; i < 100 / 32; ++i) {
        LocalTensor<float> t = queue.AllocTensor<float>();
        DataCopy(t, xGm[i * 32], 32);
        queue.EnQue(t);
        t = queue.DeQue<float>();
        DataCopy(zGm[i * 32], t, 32);
        queue.FreeTensor(t);
    }
}
