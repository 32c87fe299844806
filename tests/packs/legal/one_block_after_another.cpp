// IBSet and IBWait pass a running sum from block to block.
// fact: semantics 8: IBSet, IBWait
// in x: float32 32 = ramp
// out z: float32 32 = cumsum(x.reshape(4, 8), 0).ravel()
// blocks: 4

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 32);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 32);

    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    TPipe pipe;
    const int32_t me = static_cast<int32_t>(GetBlockIdx());
    GlobalTensor<int32_t> flags;
    flags.SetGlobalBuffer((__gm__ int32_t*)workspace, 64);
    if (me == 0) {
        InitOutput<int32_t>(flags, 64, 0);
    }
    PipeBarrier<PIPE_ALL>();
    SyncAll();
    TQue<TPosition::VECIN, 1> inQueue;
    TBuf<> buf;
    TBuf<> sumBuf;
    pipe.InitBuffer(inQueue, 1, 32);
    pipe.InitBuffer(buf, 32);
    pipe.InitBuffer(sumBuf, 32);
    LocalTensor<float> sum = sumBuf.Get<float>();
    LocalTensor<float> t = inQueue.AllocTensor<float>();
    DataCopy(t, xGm[me * 8], 8);
    inQueue.EnQue(t);
    t = inQueue.DeQue<float>();
    if (me > 0) {
        IBWait(flags, buf.Get<int32_t>(), me - 1, 0);
        DataCopy(sum, zGm[(me - 1) * 8], 8);
        PipeBarrier<PIPE_ALL>();
        Add(sum, sum, t, 8);
    } else {
        Adds(sum, t, 0.0f, 8);
    }
    PipeBarrier<PIPE_ALL>();
    DataCopy(zGm[me * 8], sum, 8);
    PipeBarrier<PIPE_ALL>();
    IBSet(flags, buf.Get<int32_t>(), me, 0);
    inQueue.FreeTensor(t);
}
