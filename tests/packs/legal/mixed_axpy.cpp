// Axpy of half data onto a float accumulator.
// fact: semantics 3
// in x: float16 64 = ramp
// in y: float16 64 = ramp % 4
// out z: float32 64 = x.astype("float32") * y + 3 * x.astype("float32") + float32(0.5)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECIN, 1> yQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 64);
    GlobalTensor<half> yGm;
    yGm.SetGlobalBuffer((__gm__ half*)y, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(half));
    pipe.InitBuffer(yQueue, 1, 64 * sizeof(half));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(float));

    LocalTensor<half> xLocal = xQueue.AllocTensor<half>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<half>();
    LocalTensor<half> yLocal = yQueue.AllocTensor<half>();
    DataCopy(yLocal, yGm, 64);
    yQueue.EnQue(yLocal);
    yLocal = yQueue.DeQue<half>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    Duplicate(zLocal, 0.5f, 64);
    Axpy(zLocal, xLocal, static_cast<half>(3.0f), 64);
    MulAddDst(zLocal, xLocal, yLocal, 64);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    yQueue.FreeTensor(yLocal);
    zQueue.FreeTensor(zLocal);
}
