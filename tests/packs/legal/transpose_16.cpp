// A 16x16 transposition in place.
// fact: semantics 14
// in x: int16 256 = integers
// out z: int16 256 = x.reshape(16, 16).T.ravel()

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<int16_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int16_t*)x, 256);
    GlobalTensor<int16_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int16_t*)z, 256);
    pipe.InitBuffer(xQueue, 1, 256 * sizeof(int16_t));
    pipe.InitBuffer(zQueue, 1, 256 * sizeof(int16_t));

    LocalTensor<int16_t> xLocal = xQueue.AllocTensor<int16_t>();
    DataCopy(xLocal, xGm, 256);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<int16_t>();
    LocalTensor<int16_t> zLocal = zQueue.AllocTensor<int16_t>();

    Transpose(xLocal, xLocal);
    Adds(zLocal, xLocal, static_cast<int16_t>(0), 256);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<int16_t>();
    DataCopy(zGm, zLocal, 256);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
