// Three queues of 64 KB fill the unified buffer; 32 bytes more do not fit.
// fact: pitfalls 3
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
    TQue<TPosition::VECIN, 1> a;
    TQue<TPosition::VECIN, 1> b;
    TQue<TPosition::VECOUT, 1> c;
    TBuf<TPosition::VECCALC> d;
    pipe.InitBuffer(a, 1, 64 * 1024);
    pipe.InitBuffer(b, 1, 64 * 1024);
    pipe.InitBuffer(c, 1, 64 * 1024);
    pipe.InitBuffer(d, 4);  // expect: ub-overflow
    d.Get<float>();  // expect: ub-overflow
}
