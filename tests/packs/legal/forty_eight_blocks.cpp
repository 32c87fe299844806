// One block for every core, each writes its number.
// fact: many blocks
// in x: int32 8 = integers
// out z: int32 384 = repeat(arange(48) * 100 + 48, 8)
// blocks: 48

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<int32_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x, 8);
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 384);

    TPipe pipe;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(outQueue, 1, 32);
    LocalTensor<int32_t> u = outQueue.AllocTensor<int32_t>();
    Duplicate(u, static_cast<int32_t>(GetBlockIdx() * 100 + GetBlockNum()), 8);
    outQueue.EnQue(u);
    u = outQueue.DeQue<int32_t>();
    DataCopy(zGm[GetBlockIdx() * 8], u, 8);
    outQueue.FreeTensor(u);
}
