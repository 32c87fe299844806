// Without isPad the tail repeats the first element of the block, it is not zero.
// fact: pitfalls 36
// in x: float32 5 = ramp + 1
// out z: float32 1 = [x.sum()]
// expect: numeric-mismatch

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 5);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 1);

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 1, 32);
    pipe.InitBuffer(outQueue, 1, 32);
    LocalTensor<float> t = inQueue.AllocTensor<float>();
    DataCopyPad(t, xGm, DataCopyExtParams(1, 20, 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0.0f));
    inQueue.EnQue(t);
    t = inQueue.DeQue<float>();
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    WholeReduceSum(u, t, 8, 1, 1, 1, 8);
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    DataCopyPad(zGm, u, DataCopyExtParams(1, 4, 0, 0, 0));
    inQueue.FreeTensor(t);
    outQueue.FreeTensor(u);
}
