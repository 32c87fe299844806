// Eight-byte elements with padding of zeros.
// fact: semantics 15
// in x: int64 3 = integers
// out z: int64 4 = concatenate([x, [0]])

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<int64_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int64_t*)x, 3);
    GlobalTensor<int64_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int64_t*)z, 4);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 32);
    LocalTensor<int64_t> t = queue.AllocTensor<int64_t>();
    DataCopyPad(t, xGm, {1, 24, 0, 0, 0}, {true, 0, 1, 0});
    queue.EnQue(t);
    t = queue.DeQue<int64_t>();
    DataCopy(zGm, t, 4);
    queue.FreeTensor(t);
}
