// An assertion of the kernel does not hold.
// fact: pitfalls 103; ASSERT is empty in a device build (overloads 1.2)
// in x: float32 64 = normal
// out z: float32 64

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    TPipe pipe;
    assert(GetBlockNum() == 7);  // expect: assert-failed
}
