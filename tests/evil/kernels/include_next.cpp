// expect: forbidden-directive
// A header behind the headers.
// category: files
#include "kernel_operator.h"
#include "honest.h"
#include_next <stdio.h>
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
}
