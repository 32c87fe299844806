// InitBuffer rounds 20 bytes up to a block.
// fact: semantics 5
// in x: float32 16 = normal
// out z: float32 16 = x

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 16);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 16);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 2, 20);
    for (int i = 0; i < 2; ++i) {
        LocalTensor<float> t = queue.AllocTensor<float>();
        DataCopy(t, xGm[i * 8], 8);
        queue.EnQue(t);
        t = queue.DeQue<float>();
        DataCopy(zGm[i * 8], t, 8);
        queue.FreeTensor(t);
    }
}
