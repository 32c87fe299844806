// The four orders of value and index.
// fact: semantics 4
// in x: float32 64 = (ramp * 7) % 64
// out z: float32 16 = concatenate([[63], array([9], "uint32").view("float32"), zeros(6), array([0], "uint32").view("float32"), [0], zeros(6)])

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 16);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 16 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    Duplicate(zLocal, 0.0f, 16);
    WholeReduceMax(zLocal, xLocal, 64, 1, 1, 1, 8, ReduceOrder::ORDER_VALUE_INDEX);
    WholeReduceMin(zLocal[8], xLocal, 64, 1, 1, 1, 8, ReduceOrder::ORDER_INDEX_VALUE);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 16);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
