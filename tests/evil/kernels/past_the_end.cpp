// expect: gm-out-of-bounds
// The page behind its buffer.
// category: wild pointers
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    ((volatile __gm__ float*)y)[4096] = 1;
}
