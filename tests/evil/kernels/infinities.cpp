// expect: non-finite
// Larger than every error.
// category: NaN
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x, 64);
    to.SetGlobalBuffer((__gm__ float*)y, 64);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 256);
    LocalTensor<float> tile = buffer.Get<float>();
    Duplicate(tile, 1e30f, 64);
    Mul(tile, tile, tile, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(to, tile, 64);
}
