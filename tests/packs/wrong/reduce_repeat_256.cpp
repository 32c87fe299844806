// WholeReduceSum takes 0 to 255 repeats.
// fact: semantics 4
// in x: float32 16384 = normal
// out z: float32 256
// also: uninitialised-read

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
    zGm.SetGlobalBuffer((__gm__ float*)z, 256);
    pipe.InitBuffer(xQueue, 1, 16384 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 256 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 16384);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    WholeReduceSum(zLocal, xLocal, 64, 256, 1, 1, 8);  // expect: repeat-range

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 256);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
