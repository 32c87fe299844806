// ReduceDataBlock, the new name, takes the mask before the repeats.
// fact: overloads 2.5
// in x: float16 256 = normal
// out z: float16 16 = x.reshape(16, 16).min(1)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 256);
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer((__gm__ half*)z, 16);
    pipe.InitBuffer(xQueue, 1, 256 * sizeof(half));
    pipe.InitBuffer(zQueue, 1, 16 * sizeof(half));

    LocalTensor<half> xLocal = xQueue.AllocTensor<half>();
    DataCopy(xLocal, xGm, 256);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<half>();
    LocalTensor<half> zLocal = zQueue.AllocTensor<half>();

    ReduceDataBlock<ReduceType::MIN>(zLocal, xLocal, 128, 2, 1, 1, 8);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<half>();
    DataCopy(zGm, zLocal, 16);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
