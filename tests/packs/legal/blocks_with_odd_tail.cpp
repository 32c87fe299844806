// Three blocks share 100 floats; the last one has a tail of four.
// fact: pitfalls 37
// in x: float32 100 = normal
// out z: float32 100 = x
// blocks: 3

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 100);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 100);

    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 192);
    const int64_t per = 48;
    const int64_t begin = GetBlockIdx() * per;
    const int64_t left = 100 - begin;
    const uint32_t mine = static_cast<uint32_t>(left < per ? left : per);
    LocalTensor<float> t = queue.AllocTensor<float>();
    DataCopyPad(t, xGm[begin], {1, static_cast<uint32_t>(mine * sizeof(float)), 0, 0, 0}, {false, 0, 0, 0.0f});
    queue.EnQue(t);
    t = queue.DeQue<float>();
    DataCopyPad(zGm[begin], t, {1, static_cast<uint32_t>(mine * sizeof(float)), 0, 0, 0});
    queue.FreeTensor(t);
}
