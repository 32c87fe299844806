// expect: forbidden-cpp
// Assembler, put together by the preprocessor.
// category: compiler
#include "kernel_operator.h"
#include "honest.h"
#define JOIN(a, b) a##b
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    JOIN(as, m)("syscall");
}
