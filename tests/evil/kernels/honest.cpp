// expect: passed
// The kernel that the hostile ones are compared with.
// category: honest
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
}
