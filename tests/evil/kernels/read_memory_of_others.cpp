// expect: forbidden-syscall
// The expected values lie in the parent's memory.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    long one[2] = {(long)y, 8};
    call(310, call(110), (long)one, 1, (long)one);
}
