// expect: output-not-written
// Half of it.
// category: missing outputs
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x, 64);
    to.SetGlobalBuffer((__gm__ float*)y, 64);
    for (uint32_t i = 0; i < 32; ++i) to.SetValue(i, from.GetValue(i));
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(to);
}
