// A strided Cast: the narrow side steps 4 blocks, the wide one 8.
// fact: semantics 2.1
// in x: float16 128 = normal
// out z: float32 128 = x.astype("float32")

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 128);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 128);
    pipe.InitBuffer(xQueue, 1, 128 * sizeof(half));
    pipe.InitBuffer(zQueue, 1, 128 * sizeof(float));

    LocalTensor<half> xLocal = xQueue.AllocTensor<half>();
    DataCopy(xLocal, xGm, 128);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<half>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    Cast(zLocal, xLocal, RoundMode::CAST_NONE, 64, 2, {1, 1, 8, 4});

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 128);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
