// expect: harness-access
// A function of the runtime by its name.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    akrt_scalar_cycles(-1e9);
    Honest(x, y);
}
