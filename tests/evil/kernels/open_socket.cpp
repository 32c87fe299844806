// expect: forbidden-syscall
// The network.
// category: network
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    call(41, 2, 1, 0);
}
