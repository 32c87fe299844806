// A function that calls itself at run time.
// fact: pitfalls 91
// in x: float32 64 = normal
// out z: float32 64

#include "kernel_operator.h"

using namespace AscendC;

__aicore__ int32_t depth(int32_t n)
{
    return n > 0 ? depth(n - 1) + 1 : 0;  // expect: forbidden-cpp
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    TPipe pipe;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(outQueue, 1, 256);
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    Duplicate(u, static_cast<float>(depth(static_cast<int32_t>(GetBlockNum()))), 64);
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    DataCopy(zGm, u, 64);
    outQueue.FreeTensor(u);
}
