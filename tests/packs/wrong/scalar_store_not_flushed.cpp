// A scalar store stays in the data cache; MTE2 does not see it.
// fact: pitfalls 43
// in x: float32 8 = normal
// out z: float32 8
// also: uninitialised-read

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 8);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 8);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 32);
    GlobalTensor<float> scratch;
    scratch.SetGlobalBuffer((__gm__ float*)workspace, 8);
    for (int i = 0; i < 8; ++i) {
        scratch.SetValue(i, 1.0f);
    }
    LocalTensor<float> t = queue.AllocTensor<float>();
    PipeBarrier<PIPE_ALL>();
    DataCopy(t, scratch, 8);  // expect: dcache-not-flushed
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(zGm, t, 8);
    queue.FreeTensor(t);
}
