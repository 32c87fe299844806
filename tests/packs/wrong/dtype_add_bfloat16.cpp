// Add does not take bfloat16_t on this chip.
// fact: pitfalls 52, overloads 3
// in x: bfloat16 64 = normal
// out z: bfloat16 64

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<bfloat16_t> xGm;
    xGm.SetGlobalBuffer((__gm__ bfloat16_t*)x, 64);
    GlobalTensor<bfloat16_t> zGm;
    zGm.SetGlobalBuffer((__gm__ bfloat16_t*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(bfloat16_t));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(bfloat16_t));

    LocalTensor<bfloat16_t> xLocal = xQueue.AllocTensor<bfloat16_t>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<bfloat16_t>();
    LocalTensor<bfloat16_t> zLocal = zQueue.AllocTensor<bfloat16_t>();

    Add(zLocal, xLocal, xLocal, 64);  // expect: dtype-not-supported

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<bfloat16_t>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
