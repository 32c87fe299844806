// A LocalTensor that was never given memory is computed on.
// fact: semantics 20
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
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(outQueue, 1, 256);
    LocalTensor<float> nothing;
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    Adds(u, nothing, 1.0f, 64);  // expect: unallocated-tensor
}
