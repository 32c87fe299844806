// Broadcasting rows needs rows of whole blocks.
// fact: overloads 1.2: BroadCast
// in x: float32 8 = normal
// out z: float32 24
// also: uninitialised-read

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 8);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 24);
    pipe.InitBuffer(xQueue, 1, 8 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 24 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 8);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    const uint32_t to[2] = {4, 5};
    const uint32_t from[2] = {1, 5};
    Broadcast<float, 2, 0>(zLocal, xLocal, to, from);  // expect: count-alignment

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 24);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
