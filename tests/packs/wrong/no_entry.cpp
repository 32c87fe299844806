// The file holds no kernel of the name that is launched.
// fact: semantics 19
// in x: float32 64 = normal
// out z: float32 64
// expect: no-kernel-entry

#include "kernel_operator.h"

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
}
