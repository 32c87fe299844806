// expect: forbidden-cpp
// Assembler.
// category: compiler
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    __asm__("syscall");
}
