// Double buffering doubles the length: 2 x 100 KB do not fit 192 KB.
// fact: pitfalls 3
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
    TQue<TPosition::VECIN, 1> inQueue;
    pipe.InitBuffer(inQueue, 2, 100 * 1024);  // expect: ub-overflow
    inQueue.AllocTensor<float>();
    inQueue.AllocTensor<float>();  // expect: ub-overflow
}
