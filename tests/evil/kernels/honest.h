// y = x, as an honest kernel does it.
#pragma once
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ inline void Honest(GM_ADDR x, GM_ADDR y)
{
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x, 64);
    to.SetGlobalBuffer((__gm__ float*)y, 64);
    TPipe pipe;
    TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    LocalTensor<float> tile = queue.AllocTensor<float>();
    DataCopy(tile, from, 64);
    queue.EnQue(tile);
    tile = queue.DeQue<float>();
    DataCopy(to, tile, 64);
    queue.FreeTensor(tile);
}
