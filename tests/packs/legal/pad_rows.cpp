// Three rows of five floats become rows of eight, filled on both sides.
// fact: semantics 15
// in x: float32 15 = normal
// out z: float32 24 = pad(x.reshape(3, 5), ((0, 0), (1, 2)), constant_values=9).ravel()

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 15);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 24);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 96);
    LocalTensor<float> t = queue.AllocTensor<float>();
    DataCopyPad(t, xGm, {3, 20, 0, 0, 0}, {true, 1, 2, 9.0f});
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(zGm, t, 24);
    queue.FreeTensor(t);
}
