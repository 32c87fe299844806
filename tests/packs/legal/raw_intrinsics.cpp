// Raw intrinsics of the vector unit on addresses in the unified buffer.
// fact: overloads 1.1
// in x: float32 64 = ramp
// out z: float32 64 = x * 6

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
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    __ubuf__ float* px = (__ubuf__ float*)xLocal.GetPhyAddr();
    __ubuf__ float* pz = (__ubuf__ float*)zLocal.GetPhyAddr();
    set_mask_norm();
    set_vector_mask(0, 0xffffffffffffffff);
    vadd(pz, px, px, 1, 1, 1, 1, 8, 8, 8);
    pipe_barrier(PIPE_V);
    vmuls(pz, pz, 3.0f, 1, 1, 1, 8, 8);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
