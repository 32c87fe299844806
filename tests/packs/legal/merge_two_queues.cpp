// MrgSort merges two sorted queues.
// fact: semantics 13
// in x: float32 64 = normal
// out z: float32 64 = sort(x)[::-1]

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TBuf<TPosition::VECCALC> indexBuf;
    TBuf<TPosition::VECCALC> workBuf;
    TBuf<TPosition::VECCALC> mergedBuf;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(indexBuf, 64 * sizeof(int32_t));
    pipe.InitBuffer(workBuf, 128 * sizeof(float));
    pipe.InitBuffer(mergedBuf, 128 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();
    LocalTensor<int32_t> index = indexBuf.Get<int32_t>();
    LocalTensor<float> work = workBuf.Get<float>();
    LocalTensor<float> merged = mergedBuf.Get<float>();

    CreateVecIndex(index, static_cast<int32_t>(0), 64);
    Sort32(work, xLocal, index.ReinterpretCast<uint32_t>(), 2);
    MrgSortSrcList<float> queues(work, work[64], work[64], work[64]);
    uint16_t lengths[4] = {32, 32, 0, 0};
    MrgSort4Info info(lengths, false, 0b0011, 1);
    MrgSort(merged, queues, info);
    uint64_t kept = 0;
    GatherMask(zLocal, merged, 1, false, 0, {1, 2, 8, 0}, kept);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
