// Gatherb moves whole blocks.
// fact: semantics 12
// in x: uint32 64 = integers
// out z: uint32 64 = x.reshape(8, 8)[::-1].ravel()

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TBuf<TPosition::VECCALC> indexBuf;
    GlobalTensor<uint32_t> xGm;
    xGm.SetGlobalBuffer((__gm__ uint32_t*)x, 64);
    GlobalTensor<uint32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ uint32_t*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(uint32_t));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(uint32_t));
    pipe.InitBuffer(indexBuf, 8 * sizeof(int32_t));

    LocalTensor<uint32_t> xLocal = xQueue.AllocTensor<uint32_t>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<uint32_t>();
    LocalTensor<uint32_t> zLocal = zQueue.AllocTensor<uint32_t>();
    LocalTensor<int32_t> index = indexBuf.Get<int32_t>();

    CreateVecIndex(index, static_cast<int32_t>(-7), 8);
    Muls(index, index, static_cast<int32_t>(-32), 8);
    Gatherb(zLocal, xLocal, index.ReinterpretCast<uint32_t>(), 1, {1, 8});

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<uint32_t>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
