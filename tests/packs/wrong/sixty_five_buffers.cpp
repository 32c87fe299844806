// A TPipe manages 64 buffers; the TBuf is the 65th.
// fact: pitfalls 2
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
    TQue<TPosition::VECIN, 1> many;
    TBuf<TPosition::VECCALC> extra;
    pipe.InitBuffer(many, 64, 32);
    pipe.InitBuffer(extra, 32);  // expect: buffer-count-limit
}
