// The last tile is stored whole, although the output ends inside it.
// fact: pitfalls 39
// in x: float32 64 = normal
// out z: float32 40
// also: output-not-written

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 40);

    TPipe pipe;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(outQueue, 1, 256);
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    Duplicate(u, 1.0f, 64);
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    DataCopy(zGm, u, 64);  // expect: gm-out-of-bounds
    outQueue.FreeTensor(u);
}
