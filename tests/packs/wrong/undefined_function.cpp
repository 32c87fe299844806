// A function that is declared and never defined.
// fact: pitfalls 91
// in x: float32 64 = normal
// out z: float32 64
// expect: forbidden-symbol

#include "kernel_operator.h"

using namespace AscendC;

__aicore__ float elsewhere(float v);

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
    Duplicate(u, elsewhere(1.0f), 64);
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    DataCopy(zGm, u, 64);
    outQueue.FreeTensor(u);
}
