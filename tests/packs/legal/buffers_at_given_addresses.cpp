// A queue whose two buffers lie at addresses of the kernel's choice.
// fact: overloads 2.8: InitBuffer with tuples
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

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, Std::make_tuple(1024u, 64u), Std::make_tuple(4096u, 64u));
    for (int i = 0; i < 4; ++i) {
        LocalTensor<float> t = queue.AllocTensor<float>();
        DataCopy(t, xGm[i * 16], 16);
        queue.EnQue(t);
        t = queue.DeQue<float>();
        DataCopy(zGm[i * 16], t, 16);
        queue.FreeTensor(t);
    }
}
