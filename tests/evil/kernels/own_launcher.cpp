// expect: harness-access
// The function that the runner calls.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
extern "C" void akrt_launch(void**) {}
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{

}
