// EnQue and DeQue of a TQueBind name different pairs of positions.
// fact: semantics 5: TQueBind user positions
// in x: float32 64 = normal
// out z: float32 64
// also: tensor-leak, output-not-written

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
    queue.EnQue<TPosition::GM, TPosition::VECIN, float>(t);
    t = queue.DeQue<TPosition::VECIN, TPosition::VECOUT, float>();  // expect: enque-deque-mismatch
}
