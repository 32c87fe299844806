// A scalar where the bit is 0; the bits are typed as uint16_t.
// fact: semantics 9
// in x: float16 128 = normal
// out z: float16 128 = where(x <= 0, x, 7)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    TBuf<TPosition::VECCALC> bitsBuf;
    GlobalTensor<half> xGm;
    xGm.SetGlobalBuffer((__gm__ half*)x, 128);
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer((__gm__ half*)z, 128);
    pipe.InitBuffer(xQueue, 1, 128 * sizeof(half));
    pipe.InitBuffer(zQueue, 1, 128 * sizeof(half));
    pipe.InitBuffer(bitsBuf, 32 * sizeof(uint8_t));

    LocalTensor<half> xLocal = xQueue.AllocTensor<half>();
    DataCopy(xLocal, xGm, 128);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<half>();
    LocalTensor<half> zLocal = zQueue.AllocTensor<half>();
    LocalTensor<uint8_t> bits = bitsBuf.Get<uint8_t>();

    CompareScalar(bits, xLocal, static_cast<half>(0), CMPMODE::LE, 128);
    LocalTensor<uint16_t> words = bits.ReinterpretCast<uint16_t>();
    Select(zLocal, words, xLocal, static_cast<half>(7), SELMODE::VSEL_TENSOR_SCALAR_MODE, 128);

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<half>();
    DataCopy(zGm, zLocal, 128);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
