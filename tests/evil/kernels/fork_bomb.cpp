// expect: forbidden-syscall
// fork, again and again.
// category: processes
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    while (true) call(57);
}
