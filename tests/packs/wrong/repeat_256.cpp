// 256 repeats become 0 in a uint8_t: nothing is computed.
// fact: pitfalls 47, overloads 2.0
// in x: float32 16384 = normal
// out z: float32 16384

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 16384);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 16384);
    pipe.InitBuffer(xQueue, 1, 16384 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 16384 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 16384);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    const int32_t repeats = static_cast<int32_t>(xGm.GetSize()) / 64;
    Adds(zLocal, xLocal, 1.0f, 64, repeats, {1, 1, 8, 8});

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 16384);  // expect: uninitialised-read
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
