// A class hierarchy without virtual functions: the base calls the derived class by its type.
// fact: pitfalls 91
// in x: float32 64 = ramp
// out z: float32 64 = x * 2 + 1

#include "kernel_operator.h"

using namespace AscendC;

template <typename Derived>
class Elementwise {
public:
    __aicore__ inline void Run(GM_ADDR x, GM_ADDR z)
    {
        GlobalTensor<float> in;
        GlobalTensor<float> out;
        in.SetGlobalBuffer((__gm__ float*)x, 64);
        out.SetGlobalBuffer((__gm__ float*)z, 64);
        TPipe pipe;
        TQue<TPosition::VECIN, 1> inQueue;
        TQue<TPosition::VECOUT, 1> outQueue;
        pipe.InitBuffer(inQueue, 1, 256);
        pipe.InitBuffer(outQueue, 1, 256);
        LocalTensor<float> t = inQueue.AllocTensor<float>();
        DataCopy(t, in, 64);
        inQueue.EnQue(t);
        t = inQueue.DeQue<float>();
        LocalTensor<float> u = outQueue.AllocTensor<float>();
        static_cast<Derived*>(this)->Compute(u, t);
        outQueue.EnQue(u);
        u = outQueue.DeQue<float>();
        DataCopy(out, u, 64);
        inQueue.FreeTensor(t);
        outQueue.FreeTensor(u);
    }
};

class Affine : public Elementwise<Affine> {
public:
    __aicore__ inline Affine(float a, float b) : a_(a), b_(b) {}
    __aicore__ inline void Compute(LocalTensor<float>& u, const LocalTensor<float>& t)
    {
        Muls(u, t, a_, 64);
        Adds(u, u, b_, 64);
    }

private:
    float a_;
    float b_;
};

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    Affine op(2.0f, 1.0f);
    op.Run(x, z);
}
