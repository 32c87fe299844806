// Tanh takes its scratch from the rest of the unified buffer, and nothing is left.
// fact: pitfalls 85
// in x: float32 64 = normal
// out z: float32 64
// also: output-not-written

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
    TBuf<TPosition::VECCALC> rest;
    pipe.InitBuffer(outQueue, 1, 256);
    pipe.InitBuffer(rest, 192 * 1024 - 256);
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    LocalTensor<float> t = rest.Get<float>();
    Duplicate(t, 1.0f, 64);
    Tanh(u, t, 64);  // expect: no-scratch
    outQueue.FreeTensor(u);
}
