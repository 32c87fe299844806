// Sort32 gives pairs of score and index, not plain scores.
// fact: pitfalls 67
// in x: float32 32 = normal
// out z: float32 32 = sort(x)[::-1]
// expect: numeric-mismatch|non-finite

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TBuf<TPosition::VECCALC> indexBuf;
    TBuf<TPosition::VECCALC> workBuf;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 32);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 32);
    pipe.InitBuffer(xQueue, 1, 32 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 32 * sizeof(float));
    pipe.InitBuffer(indexBuf, 32 * sizeof(int32_t));
    pipe.InitBuffer(workBuf, 64 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 32);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();
    LocalTensor<int32_t> index = indexBuf.Get<int32_t>();
    LocalTensor<float> work = workBuf.Get<float>();

    CreateVecIndex(index, static_cast<int32_t>(0), 32);
    Sort32(work, xLocal, index.ReinterpretCast<uint32_t>(), 1);
    Adds(zLocal, work, 0.0f, 32);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 32);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
