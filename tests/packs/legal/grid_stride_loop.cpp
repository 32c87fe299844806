// Blocks take tiles in turn, with a stride of the number of blocks.
// fact: many blocks
// in x: int32 80 = integers
// out z: int32 80 = x
// blocks: 3

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<int32_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x, 80);
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 80);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 2, 32);
    for (int64_t tile = GetBlockIdx(); tile < 10; tile += GetBlockNum()) {
        LocalTensor<int32_t> t = queue.AllocTensor<int32_t>();
        DataCopy(t, xGm[tile * 8], 8);
        queue.EnQue(t);
        t = queue.DeQue<int32_t>();
        DataCopy(zGm[tile * 8], t, 8);
        queue.FreeTensor(t);
    }
}
