// Select by a mask of bytes: a zero keeps the tensor.
// fact: overloads 1.2
// in x: float32 64 = normal
// in y: uint8 128 = ramp % 3 == 0
// out z: float32 64 = where(y.reshape(4, 32)[:, :16].ravel() == 0, x, 9)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECIN, 1> yQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TBuf<TPosition::VECCALC> tmpBuf;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<uint8_t> yGm;
    yGm.SetGlobalBuffer((__gm__ uint8_t*)y, 128);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(yQueue, 1, 128 * sizeof(uint8_t));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(tmpBuf, 8192 * sizeof(uint8_t));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<uint8_t> yLocal = yQueue.AllocTensor<uint8_t>();
    DataCopy(yLocal, yGm, 128);
    yQueue.EnQue(yLocal);
    yLocal = yQueue.DeQue<uint8_t>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();
    LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();

    SelectWithBytesMaskShapeInfo info;
    info.firstAxis = 4;
    info.srcLastAxis = 16;
    info.maskLastAxis = 32;
    Select(zLocal, xLocal, 9.0f, yLocal, tmp, info);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    yQueue.FreeTensor(yLocal);
    zQueue.FreeTensor(zLocal);
}
