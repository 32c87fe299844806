// expect: forbidden-cpp
// The same, put together by the preprocessor.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
#define JOIN(a, b) a##b
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    JOIN(ak, rt_scalar_cycles)(-1e9);
    Honest(x, y);
}
