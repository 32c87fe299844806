// BlockReduceMax gives one value of every block.
// fact: semantics 4
// in x: float32 128 = normal
// out z: float32 16 = x.reshape(16, 8).max(1)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 128);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 16);
    pipe.InitBuffer(xQueue, 1, 128 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 16 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 128);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    BlockReduceMax(zLocal, xLocal, 2, 64, 1, 1, 8);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 16);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
