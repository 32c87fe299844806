// GetTPipePtr reaches the pipe from a function that was not given it.
// fact: overloads 1.2
// in x: float32 64 = normal
// out z: float32 64 = x

#include "kernel_operator.h"

using namespace AscendC;

template <typename Queue>
__aicore__ inline void Prepare(Queue& queue)
{
    GetTPipePtr()->InitBuffer(queue, 1, 256);
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    Prepare(queue);
    LocalTensor<float> t = queue.AllocTensor<float>();
    DataCopy(t, xGm, 64);
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(zGm, t, 64);
    queue.FreeTensor(t);
}
