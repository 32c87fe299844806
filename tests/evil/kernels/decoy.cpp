// expect: output-not-written
// A right kernel that nobody launches, and one that does nothing.
// category: decoy
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel_right(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) { Honest(x, y); }
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{

}
