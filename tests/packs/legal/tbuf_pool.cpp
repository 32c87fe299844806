// Buffers out of a pool.
// fact: semantics 5: TBufPool
// in x: float32 64 = ramp
// out z: float32 64 = x + 5

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
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBufPool(pool, 1024);
    pool.InitBuffer(inQueue, 2, 128);
    pool.InitBuffer(outQueue, 2, 128);
    for (int i = 0; i < 2; ++i) {
        LocalTensor<float> t = inQueue.AllocTensor<float>();
        DataCopy(t, xGm[i * 32], 32);
        inQueue.EnQue(t);
        t = inQueue.DeQue<float>();
        LocalTensor<float> u = outQueue.AllocTensor<float>();
        Adds(u, t, 5.0f, 32);
        outQueue.EnQue(u);
        u = outQueue.DeQue<float>();
        DataCopy(zGm[i * 32], u, 32);
        inQueue.FreeTensor(t);
        outQueue.FreeTensor(u);
    }
}
