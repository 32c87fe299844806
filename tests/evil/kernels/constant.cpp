// expect: numeric-mismatch
// One value for all.
// category: constant output
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    GlobalTensor<float> to;
    to.SetGlobalBuffer((__gm__ float*)y, 64);
    for (uint32_t i = 0; i < 64; ++i) to.SetValue(i, 1.0f);
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(to);
}
