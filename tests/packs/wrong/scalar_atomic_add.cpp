// The scalar AtomicAdd belongs to other chips.
// fact: pitfalls 46
// in x: int32 8 = integers
// out z: int32 8

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<int32_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x, 8);
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 8);

    AtomicAdd((__gm__ int32_t*)z, 1);  // expect: other-chip-api
}
