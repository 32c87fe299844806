// expect: forbidden-cpp
// The same under another name, by an attribute.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
static void faster(double) __attribute__((weakref("ak" "rt_scalar_cycles")));
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    faster(-1e9);
    Honest(x, y);
}
