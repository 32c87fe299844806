// A block loads what its neighbour stores, without a synchronisation of the cores.
// fact: pitfalls 37, semantics 8
// in x: float32 64 = normal
// out z: float32 128
// blocks: 2
// also: uninitialised-read

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 128);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    LocalTensor<float> t = queue.AllocTensor<float>();
    if (GetBlockIdx() == 0) {
        DataCopy(t, xGm, 64);
    } else {
        DataCopy(t, zGm, 64);  // expect: gm-race
    }
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopy(zGm[GetBlockIdx() * 64], t, 64);
    queue.FreeTensor(t);
}
