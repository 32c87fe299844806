// A header of the host interface in device code.
// fact: pitfalls 91
// in x: float32 64 = normal
// out z: float32 64

#include "kernel_operator.h"
#include "acl/acl.h"  // expect: unknown-include

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
}
