// API functions as template arguments: the same kernel for several operations.
// fact: overloads 2.0: address of an API
// in x: float32 64 = ramp
// out z: float32 64 = abs(x - 3)

#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
using Unary = void(const LocalTensor<T>&, const LocalTensor<T>&, const int32_t&);

template <typename T>
using WithScalar = void(const LocalTensor<T>&, const LocalTensor<T>&, const T&, const int32_t&);

template <typename T, WithScalar<T>* scalarOp, Unary<T>* unaryOp>
class Chain {
public:
    __aicore__ inline void Process(GM_ADDR x, GM_ADDR z, T scalar, uint32_t n)
    {
        in_.SetGlobalBuffer((__gm__ T*)x, n);
        out_.SetGlobalBuffer((__gm__ T*)z, n);
        pipe_.InitBuffer(queue_, 1, n * sizeof(T));
        pipe_.InitBuffer(outQueue_, 1, n * sizeof(T));
        LocalTensor<T> t = queue_.template AllocTensor<T>();
        DataCopy(t, in_, n);
        queue_.EnQue(t);
        t = queue_.template DeQue<T>();
        LocalTensor<T> u = outQueue_.template AllocTensor<T>();
        scalarOp(u, t, scalar, n);
        unaryOp(u, u, n);
        outQueue_.EnQue(u);
        u = outQueue_.template DeQue<T>();
        DataCopy(out_, u, n);
        queue_.FreeTensor(t);
        outQueue_.FreeTensor(u);
        pipe_.Destroy();
    }

private:
    TPipe pipe_;
    TQue<TPosition::VECIN, 1> queue_;
    TQue<TPosition::VECOUT, 1> outQueue_;
    GlobalTensor<T> in_;
    GlobalTensor<T> out_;
};

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    Chain<float, Adds<float>, Abs<float>> chain;
    chain.Process(x, z, -3.0f, 64);
}
