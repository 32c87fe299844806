// expect: time-limit
// The signal of the time limit is ignored; the one that follows cannot be.
// category: signals
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    long ignore[4] = {1, 0, 0, 0};
    call(13, 24, (long)ignore, 0, 8);
    volatile int n = 0;
    while (true) n = n + 1;
}
