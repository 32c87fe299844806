// Scalar control flow: switch, do, continue, break, conditional operator.
// fact: C++
// in x: float32 32 = ramp
// out z: float32 32 = where(ramp < 8, x + 1, where(ramp < 16, x + 12, where(ramp < 24, -1, x + 10)))

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 32);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 32);
    pipe.InitBuffer(xQueue, 1, 32 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 32 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 32);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    int32_t i = 0;
    do {
        if (i == 2) {
            ++i;
            continue;
        }
        float add = 0.0f;
        switch (i) {
            case 0:
                add = 1.0f;
                break;
            case 1:
                add = 2.0f;
                [[fallthrough]];
            default:
                add += 10.0f;
        }
        Adds(zLocal[i * 8], xLocal[i * 8], add, 8);
        ++i;
    } while (i < 4);
    Duplicate(zLocal[16], i > 3 ? -1.0f : 1.0f, 8);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 32);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
