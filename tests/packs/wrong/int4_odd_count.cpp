// 4-bit elements come in pairs.
// fact: semantics 10
// in x: int8 32 = integers
// out z: float16 64
// also: uninitialised-read

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<int8_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int8_t*)x, 32);
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer((__gm__ half*)z, 64);
    pipe.InitBuffer(xQueue, 1, 32 * sizeof(int8_t));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(half));

    LocalTensor<int8_t> xLocal = xQueue.AllocTensor<int8_t>();
    DataCopy(xLocal, xGm, 32);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<int8_t>();
    LocalTensor<half> zLocal = zQueue.AllocTensor<half>();

    Cast(zLocal, xLocal.ReinterpretCast<int4b_t>(), RoundMode::CAST_NONE, 33);  // expect: int4-odd-count

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<half>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
