// A kernel of three files: the entry, a header with a template and a header with constants.
// fact: semantics 19
// in x: float32 64 = ramp
// out z: float32 64 = x * 4

#include "scale.h"

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    Scale<float> scale;
    scale.Process(x, z, sizes::kLength);
}
