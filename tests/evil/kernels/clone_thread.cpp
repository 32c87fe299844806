// expect: forbidden-syscall
// A thread that outlives the call.
// category: processes
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    call(56, 0x50f00, 0, 0);
}
