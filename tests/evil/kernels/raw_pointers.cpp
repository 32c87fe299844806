// expect: raw-gm-store
// Right values that no pipe carried: no order is seen, no time is spent.
// category: wild pointers
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    for (uint32_t i = 0; i < 64; ++i) ((__gm__ float*)y)[i] = ((__gm__ float*)x)[i];
}
