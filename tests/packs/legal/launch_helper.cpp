// A host function beside the kernel launches it with <<<>>>.
// fact: semantics 19
// in x: float32 64 = normal
// out z: float32 64 = full(64, 6)
// entry: fill

#include "kernel_operator.h"

using namespace AscendC;

__global__ __aicore__ void fill(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> out;
    out.SetGlobalBuffer((__gm__ float*)z, 64);
    TPipe pipe;
    TQue<TPosition::VECOUT, 1> outQueue;
    pipe.InitBuffer(outQueue, 1, 256);
    LocalTensor<float> u = outQueue.AllocTensor<float>();
    Duplicate(u, 6.0f, 64);
    outQueue.EnQue(u);
    u = outQueue.DeQue<float>();
    DataCopy(out, u, 64);
    outQueue.FreeTensor(u);
}

void fill_do(uint32_t blockDim, void* stream, uint8_t* x, uint8_t* z, uint8_t* workspace)
{
    fill<<<blockDim, nullptr, stream>>>(x, z, workspace);
}
