// DataCopyPad leaves gaps of odd bytes in global memory.
// fact: semantics 15
// in x: int8 96 = integers
// out z: int8 21 = concatenate([x.reshape(3, 32)[:, :5], x.reshape(3, 32)[:, :2]], 1).ravel()

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<int8_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int8_t*)x, 96);
    GlobalTensor<int8_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int8_t*)z, 21);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 96);
    LocalTensor<int8_t> t = queue.AllocTensor<int8_t>();
    DataCopy(t, xGm, 96);
    queue.EnQue(t);
    t = queue.DeQue<int8_t>();
    DataCopyPad(zGm, t, {3, 5, 0, 2, 0});
    DataCopyPad(zGm[5], t, {3, 2, 0, 5, 0});
    queue.FreeTensor(t);
}
