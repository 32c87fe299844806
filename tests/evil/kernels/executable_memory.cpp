// expect: forbidden-syscall
// Code that is written at run time.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    call(9, 0, 4096, 7, 0x22);
    call(10, (long)hidden & -4096, 4096, 7);
    Honest(x, y);
}
