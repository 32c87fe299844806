// DataCopy to an odd offset of the unified buffer.
// fact: pitfalls 31
// in x: float16 64 = normal
// out z: float16 64
// also: output-not-written

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 64);
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer((__gm__ half*)z, 64);

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    pipe.InitBuffer(inQueue, 1, 256);
    LocalTensor<half> t = inQueue.AllocTensor<half>();
    DataCopy(t[8], xGm, 64);  // expect: misaligned-address
    inQueue.EnQue(t);
    t = inQueue.DeQue<half>();
    inQueue.FreeTensor(t);
}
