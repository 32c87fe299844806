// expect: passed
// A pragma that kernels use, as an operator.
// category: compiler
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    _Pragma("GCC unroll 4")
    for (int i = 0; i < 4; ++i) {
    }
    Honest(x, y);
}
