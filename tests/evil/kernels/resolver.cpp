// expect: forbidden-symbol static-initialiser
// Code that the loader runs to choose a function.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
static int one() { return 1; }
extern "C" void* pick() { return (void*)one; }
extern "C" int chosen() __attribute__((ifunc("pick")));
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    if (chosen() == 1) Honest(x, y);
}
