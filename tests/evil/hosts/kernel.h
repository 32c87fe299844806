// The kernel of all host programs: y = x, as many elements as the tiling says.
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void evil_copy(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(t, tiling);
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x, t.count);
    to.SetGlobalBuffer((__gm__ float*)y, t.count);
    TPipe pipe;
    TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    LocalTensor<float> tile = queue.AllocTensor<float>();
    DataCopy(tile, from, t.count);
    queue.EnQue(tile);
    tile = queue.DeQue<float>();
    DataCopy(to, tile, t.count);
    queue.FreeTensor(tile);
}
