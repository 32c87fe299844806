// expect: forbidden-symbol
// The same, if it is there.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
extern "C" __attribute__((weak)) int system(const char*);
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    if (system) system("true");
    Honest(x, y);
}
