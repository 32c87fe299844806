// A TBuf gives no synchronisation: the addition may start before the copy has ended.
// fact: pitfalls 12
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
    TBuf<TPosition::VECCALC> buf;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(buf, 256);
    pipe.InitBuffer(outQueue, 1, 256);
    LocalTensor<float> t = buf.Get<float>();
    DataCopy(t, xGm, 64);
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    Adds(u, t, 1.0f, 64);  // expect: missing-sync
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    DataCopy(zGm, u, 64);
    outQueue.FreeTensor(u);
}
