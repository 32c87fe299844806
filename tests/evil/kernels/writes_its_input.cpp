// expect: gm-read-only
// Another input, for which the output is right.
// category: input mutation
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    ((__gm__ float*)x)[0] = 0;
    Honest(x, y);
}
