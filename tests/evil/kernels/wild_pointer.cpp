// expect: crash
// Somewhere.
// category: wild pointers
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    *(volatile long*)0x123456789000 = 1;
}
