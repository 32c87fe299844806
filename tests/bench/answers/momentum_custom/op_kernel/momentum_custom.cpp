#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t kTile = 2048;

class Momentum {
public:
    __aicore__ inline Momentum(GM_ADDR grad, GM_ADDR weight, GM_ADDR velocity, uint32_t n) : n_(n)
    {
        grad_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(grad), n);
        weight_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(weight), n);
        velocity_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(velocity), n);
        pipe_.InitBuffer(grads_, 1, kTile * sizeof(float));
        pipe_.InitBuffer(weights_, 1, kTile * sizeof(float));
        pipe_.InitBuffer(velocities_, 1, kTile * sizeof(float));
        pipe_.InitBuffer(newWeights_, 1, kTile * sizeof(float));
        pipe_.InitBuffer(newVelocities_, 1, kTile * sizeof(float));
    }

    __aicore__ inline void Process(float rate, float momentum)
    {
        for (uint32_t at = GetBlockIdx() * kTile; at < n_; at += GetBlockNum() * kTile) {
            One(at, n_ - at < kTile ? n_ - at : kTile, rate, momentum);
        }
    }

private:
    template <class Queue>
    __aicore__ inline LocalTensor<float> Load(Queue& queue, const GlobalTensor<float>& from, const DataCopyExtParams& copy)
    {
        LocalTensor<float> tensor = queue.template AllocTensor<float>();
        DataCopyPad(tensor, from, copy, DataCopyPadExtParams<float>{false, 0, 0, 0});
        queue.EnQue(tensor);
        return queue.template DeQue<float>();
    }

    template <class Queue>
    __aicore__ inline void Store(Queue& queue, const GlobalTensor<float>& to, LocalTensor<float>& tensor,
                                 const DataCopyExtParams& copy)
    {
        queue.EnQue(tensor);
        tensor = queue.template DeQue<float>();
        DataCopyPad(to, tensor, copy);
        queue.FreeTensor(tensor);
    }

    __aicore__ inline void One(uint32_t at, uint32_t count, float rate, float momentum)
    {
        const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        LocalTensor<float> grad = Load(grads_, grad_[at], copy);
        LocalTensor<float> weight = Load(weights_, weight_[at], copy);
        LocalTensor<float> velocity = Load(velocities_, velocity_[at], copy);
        LocalTensor<float> newVelocity = newVelocities_.AllocTensor<float>();
        LocalTensor<float> newWeight = newWeights_.AllocTensor<float>();
        Muls(newVelocity, velocity, momentum, count);
        Add(newVelocity, newVelocity, grad, count);
        Muls(newWeight, newVelocity, -rate, count);
        Add(newWeight, newWeight, weight, count);
        grads_.FreeTensor(grad);
        weights_.FreeTensor(weight);
        velocities_.FreeTensor(velocity);
        Store(newVelocities_, velocity_[at], newVelocity, copy);
        Store(newWeights_, weight_[at], newWeight, copy);
    }

    TPipe pipe_;
    TQue<QuePosition::VECIN, 1> grads_, weights_, velocities_;
    TQue<QuePosition::VECOUT, 1> newWeights_, newVelocities_;
    GlobalTensor<float> grad_, weight_, velocity_;
    uint32_t n_;
};

extern "C" __global__ __aicore__ void momentum_custom(GM_ADDR grad, GM_ADDR weight, GM_ADDR velocity, GM_ADDR weightRef,
                                                      GM_ADDR velocityRef, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    Momentum op(grad, weightRef, velocityRef, data.n);
    op.Process(data.rate, data.momentum);
}
