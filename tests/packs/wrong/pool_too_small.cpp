// A buffer larger than the pool that it comes from.
// fact: pitfalls 15
// in x: float32 64 = normal
// out z: float32 64

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    TPipe pipe;
    TBufPool<TPosition::VECCALC> pool;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBufPool(pool, 256);
    pool.InitBuffer(buf, 288);  // expect: pool-limit
}
