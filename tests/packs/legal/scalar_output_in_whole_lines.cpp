// An output that only the scalar unit writes, one cache line for each block.
// fact: semantics 17
// in x: int32 16 = integers
// out z: int32 32 = concatenate([x * 2, x * 2])
// blocks: 2

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<int32_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x, 16);
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 32);

    TPipe pipe;
    GlobalTensor<int32_t> mine = zGm[GetBlockIdx() * 16];
    for (int i = 0; i < 16; ++i) {
        mine.SetValue(i, xGm.GetValue(i) * 2);
    }
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(mine);
}
