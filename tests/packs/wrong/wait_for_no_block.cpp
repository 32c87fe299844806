// A block waits for a flag that no other block sets.
// fact: semantics 8: IBWait
// in x: float32 8 = normal
// out z: float32 8
// blocks: 2
// also: uninitialised-read

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 8);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 8);

    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 32);
    GlobalTensor<int32_t> flags;
    flags.SetGlobalBuffer((__gm__ int32_t*)workspace, 64);
    if (GetBlockIdx() == 1) {
        IBWait(flags, buf.Get<int32_t>(), 0, 0);  // expect: deadlock
    }
}
