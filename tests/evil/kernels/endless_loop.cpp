// expect: time-limit
// Time.
// category: resources
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    volatile int n = 0;
    while (true) n = n + 1;
}
