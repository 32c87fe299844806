// SliceInfo takes a rectangle out of a matrix.
// fact: semantics 15
// in x: float32 64 = normal
// out z: float32 32 = x.reshape(2, 32)[:, 8:24].ravel()

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 32);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 128);
    LocalTensor<float> t = queue.AllocTensor<float>();
    SliceInfo from[2] = {{8, 23, 0, 2, 32}, {0, 1, 0, 1, 2}};
    SliceInfo to[2] = {{0, 15, 0, 2, 16}, {0, 1, 0, 1, 2}};
    DataCopy(t, xGm, to, from, 2);
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(zGm, t, 32);
    queue.FreeTensor(t);
}
