// An object at namespace scope needs code to run before the kernel starts.
// fact: pitfalls 91
// in x: float32 64 = normal
// out z: float32 64
// expect: static-initialiser

#include "kernel_operator.h"

using namespace AscendC;

struct Table {
    __aicore__ Table() : first(static_cast<float>(get_block_idx())) {}
    float first;
};

Table table;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    TPipe pipe;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(outQueue, 1, 256);
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    Duplicate(u, table.first, 64);
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    DataCopy(zGm, u, 64);
    outQueue.FreeTensor(u);
}
