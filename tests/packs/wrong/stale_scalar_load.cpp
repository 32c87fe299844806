// A line is loaded, MTE3 writes it, and the second load still finds the old line.
// fact: pitfalls 44
// in x: float32 16 = normal
// out z: float32 16

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 16);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 16);

    TPipe pipe;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(outQueue, 1, 64);
    GlobalTensor<float> scratch;
    scratch.SetGlobalBuffer((__gm__ float*)workspace, 16);
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    Duplicate(u, 2.0f, 16);
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    DataCopy(scratch, u, 16);
    PipeBarrier<PIPE_ALL>();
    float before = scratch.GetValue(0);
    Duplicate(u, before + 1.0f, 16);
    PipeBarrier<PIPE_ALL>();
    DataCopy(scratch, u, 16);
    PipeBarrier<PIPE_ALL>();
    float after = scratch.GetValue(0);  // expect: dcache-stale
    Duplicate(u, after, 16);
    PipeBarrier<PIPE_ALL>();
    DataCopy(zGm, u, 16);
    outQueue.FreeTensor(u);
}
