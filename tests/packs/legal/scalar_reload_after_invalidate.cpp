// A line that MTE3 has written is invalidated before the scalar unit loads it again.
// fact: semantics 17
// in x: float32 16 = normal
// out z: float32 16 = full(16, 4)

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
    float value = 1.0f;
    for (int i = 0; i < 3; ++i) {
        Duplicate(u, value, 16);
        PipeBarrier<PIPE_ALL>();
        DataCopy(scratch, u, 16);
        PipeBarrier<PIPE_ALL>();
        DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(scratch);
        value = scratch.GetValue(i) + 1.0f;
    }
    Duplicate(u, value, 16);
    PipeBarrier<PIPE_ALL>();
    DataCopy(zGm, u, 16);
    outQueue.FreeTensor(u);
}
