// WaitPreBlock and NotifyNextBlock let the blocks add in ascending order.
// fact: semantics 8: InitDetermineComputeWorkspace
// in x: float32 32 = ramp
// out z: float32 8 = x.reshape(4, 8).sum(0)
// blocks: 4

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 32);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 8);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    TBuf<> buf;
    pipe.InitBuffer(queue, 1, 32);
    pipe.InitBuffer(buf, 4 * 32 + 32);
    GlobalTensor<int32_t> turns;
    turns.SetGlobalBuffer((__gm__ int32_t*)workspace, 64);
    LocalTensor<int32_t> work = buf.Get<int32_t>();
    const int64_t me = GetBlockIdx();
    InitDetermineComputeWorkspace(turns, work);
    LocalTensor<float> t = queue.AllocTensor<float>();
    DataCopy(t, xGm[me * 8], 8);
    queue.EnQue(t);
    t = queue.DeQue<float>();
    WaitPreBlock(turns, work);
    if (me > 0) {
        SetAtomicAdd<float>();
    }
    DataCopy(zGm, t, 8);
    DisableDmaAtomic();
    PipeBarrier<PIPE_ALL>();
    NotifyNextBlock(turns, work);
    queue.FreeTensor(t);
}
