// GlobalTensor::operator() gives an assignable element.
// fact: overloads 2.8
// in x: int32 16 = integers
// out z: int32 16 = x[::-1]

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<int32_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x, 16);
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 16);

    TPipe pipe;
    for (int i = 0; i < 16; ++i) {
        zGm(i) = xGm(15 - i);
    }
    DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE>(zGm);
}
