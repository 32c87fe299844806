// A load from a global offset that is a multiple of the element only.
// fact: semantics 1: no alignment in global memory
// in x: float16 40 = normal
// out z: float16 32 = x[3:35]

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 40);
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer((__gm__ half*)z, 32);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 64);
    LocalTensor<half> t = queue.AllocTensor<half>();
    DataCopy(t, xGm[3], 32);
    queue.EnQue(t);
    t = queue.DeQue<half>();
    DataCopy(zGm, t, 32);
    queue.FreeTensor(t);
}
