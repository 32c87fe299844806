// Nine tensors of one position are alive at once; only eight event ids stand behind a position.
// fact: pitfalls 1
// in x: float32 64 = normal
// out z: float32 64
// also: event-ids-exhausted, output-not-written

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    TPipe pipe;
    TQue<TPosition::VECIN, 9> many;
    pipe.InitBuffer(many, 9, 32);
    LocalTensor<float> held[9];
    for (int i = 0; i < 9; ++i) {
        held[i] = many.AllocTensor<float>();  // expect: position-live-limit
    }
    for (int i = 0; i < 9; ++i) {
        many.FreeTensor(held[i]);
    }
}
