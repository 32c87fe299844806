// expect: compile-error syntax no-kernel-entry forbidden-symbol
// The launcher behind an #if that is not taken.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
}
#if 0
{
}
