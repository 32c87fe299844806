// Sort32 gives pairs of score and index in descending order.
// fact: semantics 13
// in x: float32 32 = normal
// out z: float32 32 = sort(x)[::-1]
// out w: int32 32 = argsort(-x, kind="stable")

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR w, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TQue<TPosition::VECOUT, 1> wQueue;
    TBuf<TPosition::VECCALC> indexBuf;
    TBuf<TPosition::VECCALC> workBuf;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 32);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 32);
    GlobalTensor<int32_t> wGm;
    wGm.SetGlobalBuffer((__gm__ int32_t*)w, 32);
    pipe.InitBuffer(xQueue, 1, 32 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 32 * sizeof(float));
    pipe.InitBuffer(wQueue, 1, 32 * sizeof(int32_t));
    pipe.InitBuffer(indexBuf, 32 * sizeof(int32_t));
    pipe.InitBuffer(workBuf, 64 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 32);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();
    LocalTensor<int32_t> wLocal = wQueue.AllocTensor<int32_t>();
    LocalTensor<int32_t> index = indexBuf.Get<int32_t>();
    LocalTensor<float> work = workBuf.Get<float>();

    CreateVecIndex(index, static_cast<int32_t>(0), 32);
    Sort32(work, xLocal, index.ReinterpretCast<uint32_t>(), 1);
    uint64_t kept = 0;
    GatherMask(zLocal, work, 1, false, 0, {1, 1, 8, 0}, kept);
    GatherMask(wLocal, work.ReinterpretCast<int32_t>(), 2, false, 0, {1, 1, 8, 0}, kept);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 32);
    wQueue.EnQue(wLocal);
    wLocal = wQueue.DeQue<int32_t>();
    DataCopy(wGm, wLocal, 32);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
    wQueue.FreeTensor(wLocal);
}
