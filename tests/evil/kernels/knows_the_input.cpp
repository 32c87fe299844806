// expect: output-not-written numeric-mismatch
// Works for the input that it has seen, and for no other.
// category: seed-specific answers
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    GlobalTensor<uint32_t> from;
    from.SetGlobalBuffer((__gm__ uint32_t*)x, 64);
    if (from.GetValue(0) == 0xbf66a12b) Honest(x, y);
}
