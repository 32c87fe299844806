// WriteGmByPassDCache and ReadGmByPassDCache go around the data cache.
// fact: semantics 17
// in x: int32 8 = integers
// out z: int32 16 = concatenate([x, x + 1])
// blocks: 2

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    __gm__ int32_t* out = (__gm__ int32_t*)z;
    for (int i = 0; i < 8; ++i) {
        int32_t v = ReadGmByPassDCache((__gm__ int32_t*)x + i);
        WriteGmByPassDCache(out + GetBlockIdx() * 8 + i, v + static_cast<int32_t>(GetBlockIdx()));
    }
}
