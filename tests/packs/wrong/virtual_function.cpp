// Virtual functions do not exist in device code.
// fact: pitfalls 91
// in x: float32 64 = normal
// out z: float32 64

#include "kernel_operator.h"

using namespace AscendC;

class Operation {
public:
    __aicore__ inline virtual float Apply(float v) { return v; }  // expect: forbidden-cpp
};

class Doubler : public Operation {
public:
    __aicore__ inline float Apply(float v) { return 2.0f * v; }
};

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);

    Doubler op;
    float v = op.Apply(1.0f);
    (void)v;
}
