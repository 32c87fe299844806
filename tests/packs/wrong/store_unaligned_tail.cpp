// The tail of 5 floats is stored by DataCopy instead of DataCopyPad.
// fact: pitfalls 30
// in x: float32 8 = normal
// out z: float32 5
// also: output-not-written

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 8);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 5);

    TPipe pipe;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(outQueue, 1, 32);
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    Duplicate(u, 1.0f, 8);
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    DataCopy(zGm, u, 5);  // expect: unaligned-copy
    outQueue.FreeTensor(u);
}
