// A tensor of L1 is given to the vector unit.
// fact: pitfalls 40
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
    TQue<TPosition::A1, 1> l1;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(l1, 1, 256);
    pipe.InitBuffer(outQueue, 1, 256);
    LocalTensor<float> t = l1.AllocTensor<float>();
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    Adds(u, t, 1.0f, 64);  // expect: illegal-position
    l1.FreeTensor(t);
    outQueue.FreeTensor(u);
}
