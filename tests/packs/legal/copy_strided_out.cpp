// Blocks are scattered to every second place of the output, in two passes.
// fact: semantics 15
// in x: float32 64 = normal
// out z: float32 64 = stack([x[:32].reshape(4, 8), x[32:].reshape(4, 8)], 1).ravel()

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
    pipe.InitBuffer(queue, 1, 256);
    LocalTensor<float> t = queue.AllocTensor<float>();
    DataCopy(t, xGm, 64);
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopyParams even;
    even.blockCount = 4;
    even.blockLen = 1;
    even.srcStride = 0;
    even.dstStride = 1;
    DataCopy(zGm, t, even);
    DataCopy(zGm[8], t[32], even);
    queue.FreeTensor(t);
}
