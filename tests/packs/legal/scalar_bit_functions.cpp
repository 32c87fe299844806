// Scalar functions that count bits.
// fact: ascendc_api.csv: scalar
// in x: int32 8 = integers
// out z: int32 8 = [9, 8, 63, 6, 0, 0, 0, 0]

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<int32_t> xGm;
    xGm.SetGlobalBuffer((__gm__ int32_t*)x, 8);
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t*)z, 8);
    pipe.InitBuffer(xQueue, 1, 8 * sizeof(int32_t));
    pipe.InitBuffer(zQueue, 1, 8 * sizeof(int32_t));

    LocalTensor<int32_t> xLocal = xQueue.AllocTensor<int32_t>();
    DataCopy(xLocal, xGm, 8);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<int32_t>();
    LocalTensor<int32_t> zLocal = zQueue.AllocTensor<int32_t>();

    Duplicate(zLocal, static_cast<int32_t>(0), 8);
    zLocal.SetValue(0, static_cast<int32_t>(ScalarGetCountOfValue<1>(0xf0f1)));
    zLocal.SetValue(1, static_cast<int32_t>(ScalarGetCountOfValue<0>(0xffffffffffffff00)));
    zLocal.SetValue(2, static_cast<int32_t>(ScalarCountLeadingZero(0x1)));
    zLocal.SetValue(3, static_cast<int32_t>(CountBitsCntSameAsSignBit(0x0100000000000020)));

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<int32_t>();
    DataCopy(zGm, zLocal, 8);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
