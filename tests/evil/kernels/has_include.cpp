// expect: forbidden-directive
// Asks which files there are.
// category: compiler
#include "kernel_operator.h"
#include "honest.h"
#if __has_include("/etc/passwd")
#endif
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
}
