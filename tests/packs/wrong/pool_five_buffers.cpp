// A pool holds four buffers unless its template says more.
// fact: semantics 5: TBufPool bufIDSize = 4
// in x: float32 64 = normal
// out z: float32 64
// also: output-not-written

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
    TQue<TPosition::VECIN, 1> four;
    TBuf<TPosition::VECCALC> fifth;
    pipe.InitBufPool(pool, 1024);
    pool.InitBuffer(four, 4, 32);
    pool.InitBuffer(fifth, 32);  // expect: pool-limit
}
