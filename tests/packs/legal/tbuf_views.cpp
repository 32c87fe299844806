// Parts and reinterpretations of one TBuf, and the queue-like calls that it answers.
// fact: overloads 2.8
// in x: int32 8 = integers
// out z: int32 32 = full(32, 65 + 64 + 65)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<int32_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x, 8);
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 32);

    TPipe pipe;
    TQue<TPosition::VECOUT, 1> outQueue;
    TBuf<> buf;
    pipe.InitBuffer(outQueue, 1, 128);
    pipe.InitBuffer(buf, 256);
    LocalTensor<int32_t> all = buf.Get<int32_t>();
    LocalTensor<int32_t> front = buf.Get<int32_t>(32);
    LocalTensor<int32_t> back = buf.GetWithOffset<int32_t>(32, 128);
    Duplicate(all, static_cast<int32_t>(all.GetSize()), 64);
    Adds(front, front, static_cast<int32_t>(1), 32);
    LocalTensor<int32_t> u = outQueue.AllocTensor<int32_t>();
    Add(u, front, back, 32);
    LocalTensor<int32_t> same = buf.AllocTensor<int32_t>();
    Add(u, u, same, 32);
    buf.FreeTensor(same);
    outQueue.EnQue(u);
    u = outQueue.DeQue<int32_t>();
    DataCopy(zGm, u, 32);
    outQueue.FreeTensor(u);
}
