// Each of two blocks owns 12 floats and stores 16: the first one writes over the second one.
// fact: pitfalls 37
// in x: float32 64 = normal
// out z: float32 28
// blocks: 2

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 28);

    TPipe pipe;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(outQueue, 1, 64);
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    Duplicate(u, static_cast<float>(GetBlockIdx()), 16);
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    DataCopy(zGm[GetBlockIdx() * 12], u, 16);  // expect: gm-race
    outQueue.FreeTensor(u);
}
