// expect: forbidden-directive
// The same, by a pragma.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
#define RUNTIME ak
_Pragma("redefine_extname faster akrt_scalar_cycles")
extern "C" void faster(double);
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    faster(-1e9);
    Honest(x, y);
}
