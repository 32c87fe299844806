// expect: forbidden-syscall
// Other limits than those it was given.
// category: resources
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    long unlimited[2] = {-1, -1};
    call(160, 9, (long)unlimited);
}
