// The standard library does not exist on the device.
// fact: pitfalls 91
// in x: float32 64 = normal
// out z: float32 64

#include <vector>  // expect: forbidden-include
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
}
