// expect: passed
// One rounding to half: the precision standard allows it.
// category: precision downgrade
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x, 64);
    to.SetGlobalBuffer((__gm__ float*)y, 64);
    TPipe pipe;
    TBuf<TPosition::VECCALC> wide, narrow;
    pipe.InitBuffer(wide, 256);
    pipe.InitBuffer(narrow, 128);
    LocalTensor<float> tile = wide.Get<float>();
    LocalTensor<half> less = narrow.Get<half>();
    DataCopy(tile, from, 64);
    PipeBarrier<PIPE_ALL>();
    Cast(less, tile, RoundMode::CAST_NONE, 64);
    PipeBarrier<PIPE_ALL>();
    Cast(tile, less, RoundMode::CAST_NONE, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(to, tile, 64);
}
