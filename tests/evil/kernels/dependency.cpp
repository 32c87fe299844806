// expect: forbidden-directive
// Asks how old a file is.
// category: compiler
#include "kernel_operator.h"
#include "honest.h"
_Pragma("GCC dependency \"/etc/passwd\"")
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
}
