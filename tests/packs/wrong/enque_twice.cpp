// The same tensor is put into a queue of depth 2 twice.
// fact: semantics 5: EnQue needs state OCCUPIED or DEQUE
// in x: float32 64 = normal
// out z: float32 64
// also: tensor-leak, flag-left-set, output-not-written

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    TPipe pipe;
    TQue<TPosition::VECIN, 2> inQueue;
    pipe.InitBuffer(inQueue, 2, 256);
    LocalTensor<float> t = inQueue.AllocTensor<float>();
    DataCopy(t, xGm, 64);
    inQueue.EnQue(t);
    inQueue.EnQue(t);  // expect: wrong-buffer-state
}
