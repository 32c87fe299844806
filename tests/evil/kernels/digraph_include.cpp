// expect: forbidden-include
// A directive in other letters.
// category: files
#include "kernel_operator.h"
#include "honest.h"
%:include "/etc/passwd"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
}
