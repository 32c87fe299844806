// expect: crash killed forbidden-syscall
// As if the machine had run out of memory.
// category: signals
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    call(62, call(39), 9);
}
