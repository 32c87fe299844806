// A tail of 13 bytes out of 8-bit data, both ways through DataCopyPad.
// fact: semantics 15
// in x: uint8 13 = integers
// out z: uint8 13 = x

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<uint8_t> xGm;
    xGm.SetGlobalBuffer((__gm__ uint8_t*)x, 13);
    GlobalTensor<uint8_t> zGm;
    zGm.SetGlobalBuffer((__gm__ uint8_t*)z, 13);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 32);
    LocalTensor<uint8_t> t = queue.AllocTensor<uint8_t>();
    DataCopyPad(t, xGm, DataCopyParams(1, 13, 0, 0), DataCopyPadParams(false, 0, 0, 0));
    queue.EnQue(t);
    t = queue.DeQue<uint8_t>();
    DataCopyPad(zGm, t, DataCopyParams(1, 13, 0, 0));
    queue.FreeTensor(t);
}
