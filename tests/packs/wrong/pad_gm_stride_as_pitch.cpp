// The GM stride is the gap behind a row, not the pitch from row to row.
// fact: pitfalls 33
// in x: float32 64 = normal
// out z: float32 32
// also: output-not-written

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 32);

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    pipe.InitBuffer(inQueue, 1, 128);
    LocalTensor<float> t = inQueue.AllocTensor<float>();
    const DataCopyPadExtParams<float> pad(false, 0, 0, 0.0f);
    DataCopyPad(t, xGm, DataCopyExtParams(4, 32, 64, 0, 0), pad);  // expect: gm-out-of-bounds
    inQueue.EnQue(t);
    t = inQueue.DeQue<float>();
    inQueue.FreeTensor(t);
}
