// expect: forged-record
// Ends before the observers have spoken.
// category: forged records
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
    call(231, 0);
}
