// Sigmoid needs a scratch of 256 bytes at least and is given 32.
// fact: pitfalls 85, host_api: GetSigmoidMaxMinTmpSize
// in x: float16 1024 = normal
// out z: float16 1024

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TBuf<TPosition::VECCALC> tmpBuf;
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 1024);
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer((__gm__ half*)z, 1024);
    pipe.InitBuffer(xQueue, 1, 1024 * sizeof(half));
    pipe.InitBuffer(zQueue, 1, 1024 * sizeof(half));
    pipe.InitBuffer(tmpBuf, 32 * sizeof(uint8_t));

    LocalTensor<half> xLocal = xQueue.AllocTensor<half>();
    DataCopy(xLocal, xGm, 1024);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<half>();
    LocalTensor<half> zLocal = zQueue.AllocTensor<half>();
    LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();

    Sigmoid(zLocal, xLocal, tmp, 1024);  // expect: work-too-small

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<half>();
    DataCopy(zGm, zLocal, 1024);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
