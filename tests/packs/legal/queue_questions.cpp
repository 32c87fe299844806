// The questions that a queue answers: free buffers, waiting tensors, room.
// fact: overloads 2.8
// in x: float32 8 = ramp
// out z: float32 8 = x + 127

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 8);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 8);

    TPipe pipe;
    TQue<TPosition::VECIN, 1> inQueue;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(inQueue, 1, 32);
    pipe.InitBuffer(outQueue, 1, 32);
    int32_t seen = 0;
    seen += inQueue.HasIdleBuffer() ? 1 : 0;
    seen += inQueue.HasTensorInQue() ? 0 : 2;
    seen += inQueue.VacantInQue() ? 4 : 0;
    LocalTensor<float> t = inQueue.AllocTensor<float>();
    seen += inQueue.HasIdleBuffer() ? 0 : 8;
    DataCopy(t, xGm, 8);
    inQueue.EnQue(t);
    seen += inQueue.HasTensorInQue() ? 16 : 0;
    seen += inQueue.VacantInQue() ? 0 : 32;
    seen += inQueue.GetTensorCountInQue() == 1 ? 64 : 0;
    t = inQueue.DeQue<float>();
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    Adds(u, t, static_cast<float>(seen), 8);
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    DataCopy(zGm, u, 8);
    outQueue.FreeTensor(u);
    inQueue.FreeTensor(t);
}
