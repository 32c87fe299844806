// expect: forbidden-cpp syntax compile-error
// The same, put together by the preprocessor.
// category: compiler
#include "kernel_operator.h"
#include "honest.h"
#define JOIN(a, b) a##b
#if JOIN(__has, _include)("/etc/passwd")
#endif
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
}
