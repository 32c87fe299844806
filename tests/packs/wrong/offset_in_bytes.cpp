// Offsets of a GlobalTensor count elements: block 1 starts behind the tensor.
// fact: pitfalls 38
// in x: float32 64 = normal
// out z: float32 64
// blocks: 2
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
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 128);
    LocalTensor<float> t = queue.AllocTensor<float>();
    DataCopy(t, xGm[GetBlockIdx() * 32 * sizeof(float)], 32);  // expect: gm-out-of-bounds
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(zGm[GetBlockIdx() * 32], t, 32);
    queue.FreeTensor(t);
}
