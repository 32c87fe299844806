// A Cast from int32 to half multiplies by a scale that nobody has set.
// fact: semantics 10
// in x: int32 64 = integers
// out z: float16 64

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<int32_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x, 64);
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer((__gm__ half*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(int32_t));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(half));

    LocalTensor<int32_t> xLocal = xQueue.AllocTensor<int32_t>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<int32_t>();
    LocalTensor<half> zLocal = zQueue.AllocTensor<half>();

    Cast(zLocal, xLocal, RoundMode::CAST_NONE, 64);  // expect: deqscale-not-set

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<half>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
