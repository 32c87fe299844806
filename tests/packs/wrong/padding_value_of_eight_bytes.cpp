// The padding value of an 8-byte type must be 0.
// fact: pitfalls 35
// in x: int64 8 = integers
// out z: int64 8
// also: output-not-written

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<int64_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int64_t*)x, 8);
    GlobalTensor<int64_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int64_t*)z, 8);

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    pipe.InitBuffer(inQueue, 1, 512);
    LocalTensor<int64_t> t = inQueue.AllocTensor<int64_t>();
    const DataCopyPadExtParams<int64_t> pad(true, 0, 1, 5);
    DataCopyPad(t, xGm, DataCopyExtParams(1, 56, 0, 0, 0), pad);  // expect: copy-range
    inQueue.EnQue(t);
    t = inQueue.DeQue<int64_t>();
    inQueue.FreeTensor(t);
}
