// expect: static-initialiser
// Code that runs when it is loaded.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
int state;
__attribute__((constructor)) void early() { state = 1; }
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
}
