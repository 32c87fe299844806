// expect: forbidden-syscall
// Another program in the runner's place.
// category: processes
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    call(59, (long)"/bin/sh", 0, 0);
}
