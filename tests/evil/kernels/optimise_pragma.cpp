// expect: forbidden-directive
// Another compiler than the one that was asked for.
// category: compiler
#include "kernel_operator.h"
#include "honest.h"
#pragma GCC optimize("fast-math")
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
}
