// SoftMax with a tiling that is computed in the kernel.
// fact: overloads 1.2
// in x: float32 256 = normal
// out z: float32 256 = exp(x.reshape(8, 32) - x.reshape(8, 32).max(1, keepdims=True)).ravel()
// tolerance: 1e-4

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TBuf<TPosition::VECCALC> sumsBuf;
    TBuf<TPosition::VECCALC> maximaBuf;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 256);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 256);
    pipe.InitBuffer(xQueue, 1, 256 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 256 * sizeof(float));
    pipe.InitBuffer(sumsBuf, 64 * sizeof(float));
    pipe.InitBuffer(maximaBuf, 64 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 256);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();
    LocalTensor<float> sums = sumsBuf.Get<float>();
    LocalTensor<float> maxima = maximaBuf.Get<float>();

    SoftMaxShapeInfo shape{8, 32, 8, 32};
    constexpr SoftMaxTiling tiling = SoftMaxFlashV2TilingFuncImpl(8, 32, 4, 4, 2048);
    SoftmaxFlashV2<float>(zLocal, sums, maxima, xLocal, sums, sums, maxima, tiling, shape);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 256);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
