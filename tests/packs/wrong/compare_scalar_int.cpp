// CompareScalar of floats with an int.
// fact: overloads 2.0
// in x: float32 64 = normal
// out z: uint8 32

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<uint8_t> zGm;
    zGm.SetGlobalBuffer((__gm__ uint8_t*)z, 32);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 32 * sizeof(uint8_t));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<uint8_t> zLocal = zQueue.AllocTensor<uint8_t>();

    CompareScalar(zLocal, xLocal, 0, CMPMODE::GT, 64);  // expect: scalar-type-mismatch

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<uint8_t>();
    DataCopy(zGm, zLocal, 32);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
