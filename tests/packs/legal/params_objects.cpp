// Parameter structures that are filled field by field.
// fact: overloads 1.5
// in x: float32 128 = normal
// in y: float32 64 = normal
// out z: float32 128 = maximum((x.reshape(2, 64) + y).ravel(), 0)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECIN, 1> yQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 128);
    GlobalTensor<float> yGm;
    yGm.SetGlobalBuffer((__gm__ float*)y, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 128);
    pipe.InitBuffer(xQueue, 1, 128 * sizeof(float));
    pipe.InitBuffer(yQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 128 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 128);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> yLocal = yQueue.AllocTensor<float>();
    DataCopy(yLocal, yGm, 64);
    yQueue.EnQue(yLocal);
    yLocal = yQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    BinaryRepeatParams binary;
    binary.src1RepStride = 0;
    UnaryRepeatParams unary;
    unary.dstRepStride = 8;
    Add(zLocal, xLocal, yLocal, 64, 2, binary);
    Relu(zLocal, zLocal, 64, 2, unary);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 128);
    xQueue.FreeTensor(xLocal);
    yQueue.FreeTensor(yLocal);
    zQueue.FreeTensor(zLocal);
}
