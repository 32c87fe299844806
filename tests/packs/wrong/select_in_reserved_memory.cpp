// Select of two tensors uses the last 8 KB of the unified buffer, where the kernel keeps a tensor.
// fact: pitfalls 56, semantics 9
// in x: float32 64 = normal
// out z: float32 64
// also: output-not-written

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    TPipe pipe;
    TBuf<TPosition::VECCALC> all;
    pipe.InitBuffer(all, 192 * 1024);
    LocalTensor<float> a = all.GetWithOffset<float>(64, 0);
    LocalTensor<float> b = all.GetWithOffset<float>(64, 191 * 1024);
    LocalTensor<uint8_t> bits = all.GetWithOffset<uint8_t>(32, 1024);
    Duplicate(a, 1.0f, 64);
    Duplicate(b, 2.0f, 64);
    Duplicate(bits.ReinterpretCast<int16_t>(), static_cast<int16_t>(0x5555), 16);
    Select(a, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);  // expect: scratch-overlap
}
