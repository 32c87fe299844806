// Scalar stores are cleaned out of the cache before MTE2 reads them.
// fact: semantics 17
// in x: float32 16 = normal
// out z: float32 16 = ramp ** 2

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 16);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 16);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 64);
    GlobalTensor<float> scratch;
    scratch.SetGlobalBuffer((__gm__ float*)workspace, 16);
    for (int i = 0; i < 16; ++i) {
        scratch.SetValue(i, static_cast<float>(i * i));
    }
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(scratch);
    PipeBarrier<PIPE_ALL>();
    LocalTensor<float> t = queue.AllocTensor<float>();
    DataCopy(t, scratch, 16);
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(zGm, t, 16);
    queue.FreeTensor(t);
}
