// The 16x16 transposition does not take bfloat16_t.
// fact: overloads 3
// in x: bfloat16 256 = normal
// out z: bfloat16 256

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<bfloat16_t> xGm;
    xGm.SetGlobalBuffer((__gm__ bfloat16_t*)x, 256);
    GlobalTensor<bfloat16_t> zGm;
    zGm.SetGlobalBuffer((__gm__ bfloat16_t*)z, 256);
    pipe.InitBuffer(xQueue, 1, 256 * sizeof(bfloat16_t));
    pipe.InitBuffer(zQueue, 1, 256 * sizeof(bfloat16_t));

    LocalTensor<bfloat16_t> xLocal = xQueue.AllocTensor<bfloat16_t>();
    DataCopy(xLocal, xGm, 256);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<bfloat16_t>();
    LocalTensor<bfloat16_t> zLocal = zQueue.AllocTensor<bfloat16_t>();

    Transpose(zLocal, xLocal);  // expect: dtype-not-supported

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<bfloat16_t>();
    DataCopy(zGm, zLocal, 256);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
