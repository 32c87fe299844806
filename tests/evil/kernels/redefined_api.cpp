// expect: passed
// Macros come too late to change the headers.
// category: compiler
#include "kernel_operator.h"
#include "honest.h"
#define Add(...) Mul(__VA_ARGS__)
#define static_assert(...)
#define private public
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
}
