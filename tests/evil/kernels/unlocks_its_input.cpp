// expect: gm-read-only numeric-mismatch
// The same after mprotect; the judge has the input from elsewhere.
// category: input mutation
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    call(10, (long)x & -4096, 4096, 3);
    ((__gm__ float*)x)[1] = 0;
    Honest(x, y);
}
