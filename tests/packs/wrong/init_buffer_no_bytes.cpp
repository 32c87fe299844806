// InitBuffer with length zero.
// fact: pitfalls 4
// in x: float32 64 = normal
// out z: float32 64

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
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 1, 0);  // expect: init-buffer-empty
    pipe.InitBuffer(outQueue, 1, 64 * sizeof(float));
    LocalTensor<float> zLocal = outQueue.AllocTensor<float>();
    Duplicate(zLocal, 1.0f, 64);
    outQueue.EnQue(zLocal);
    zLocal = outQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 64);
    outQueue.FreeTensor(zLocal);
}
