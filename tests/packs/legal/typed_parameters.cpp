// Kernel parameters as typed global pointers instead of GM_ADDR.
// fact: semantics 19
// in x: float16 64 = normal
// out z: float16 64 = x

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(__gm__ uint8_t* x, __gm__ uint8_t* z, __gm__ uint8_t* workspace)
{
    GlobalTensor<half> in;
    GlobalTensor<half> out;
    in.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
    out.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z));
    TPipe pipe;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 128);
    LocalTensor<half> t = queue.AllocTensor<half>();
    DataCopy(t, in, 64);
    queue.EnQue(t);
    t = queue.DeQue<half>();
    DataCopy(out, t, 64);
    queue.FreeTensor(t);
}
