// TransDataTo5HD transposes 16 rows given by address lists.
// fact: semantics 14
// in x: float16 256 = normal
// out z: float16 256 = x.reshape(16, 16).T.ravel()

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
    zGm.SetGlobalBuffer((__gm__ half*)z, 256);
    pipe.InitBuffer(xQueue, 1, 256 * sizeof(half));
    pipe.InitBuffer(zQueue, 1, 256 * sizeof(half));

    LocalTensor<half> xLocal = xQueue.AllocTensor<half>();
    DataCopy(xLocal, xGm, 256);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<half>();
    LocalTensor<half> zLocal = zQueue.AllocTensor<half>();

    LocalTensor<half> from[16];
    LocalTensor<half> to[16];
    for (int i = 0; i < 16; ++i) {
        from[i] = xLocal[i * 16];
        to[i] = zLocal[i * 16];
    }
    TransDataTo5HD<half>(to, from, TransDataTo5HDParams(false, false, 1, 0, 0));

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<half>();
    DataCopy(zGm, zLocal, 256);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
