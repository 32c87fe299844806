// expect: forbidden-symbol
// A function of the C library.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
extern "C" int system(const char*);
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    system("true");
}
