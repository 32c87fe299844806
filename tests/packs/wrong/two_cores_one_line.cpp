// Two cores store scalars into one cache line.
// fact: pitfalls 43, semantics 17
// in x: float32 2 = normal
// out z: float32 2
// blocks: 2

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 2);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 2);

    TPipe pipe;
    zGm.SetValue(GetBlockIdx(), 1.0f);  // expect: dcache-false-sharing
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(zGm);
}
