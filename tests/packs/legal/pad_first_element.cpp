// Without isPad and without padding the rest of the block repeats the first element.
// fact: semantics 15
// in x: float16 3 = normal
// out z: float16 16 = concatenate([x, full(13, x[0])])

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 3);
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer((__gm__ half*)z, 16);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 32);
    LocalTensor<half> t = queue.AllocTensor<half>();
    DataCopyPad(t, xGm, {1, 6, 0, 0, 0}, {false, 0, 0, static_cast<half>(0.0f)});
    queue.EnQue(t);
    t = queue.DeQue<half>();
    DataCopy(zGm, t, 16);
    queue.FreeTensor(t);
}
