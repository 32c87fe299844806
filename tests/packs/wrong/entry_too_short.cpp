// The kernel takes fewer arguments than the launch gives.
// fact: semantics 19
// in x: float32 64 = normal
// out z: float32 64

#include "kernel_operator.h"

extern "C" __global__ __aicore__ void kernel(GM_ADDR x)  // expect: wrong-entry-signature
{
}
