// The UB side of DataCopyPad is strided in blocks, not in bytes.
// fact: pitfalls 33
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
    TQue<TPosition::VECIN, 1> inQueue;
    pipe.InitBuffer(inQueue, 1, 256);
    LocalTensor<float> t = inQueue.AllocTensor<float>();
    const DataCopyPadExtParams<float> pad(false, 0, 0, 0.0f);
    DataCopyPad(t, xGm, DataCopyExtParams(4, 32, 32, 32, 0), pad);  // expect: out-of-bounds
    inQueue.EnQue(t);
    t = inQueue.DeQue<float>();
    inQueue.FreeTensor(t);
}
