#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t kLane = 8;  // floats of 32 bytes

class RowNorm {
public:
    __aicore__ inline RowNorm(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd, uint32_t rows, uint32_t cols)
        : rows_(rows), cols_(cols), writesRstd_(rstd != nullptr)
    {
        const uint32_t padded = (cols + kLane - 1) / kLane * kLane;
        x_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), rows * cols);
        y_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), rows * cols);
        if (gamma != nullptr) {
            gamma_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(gamma), cols);
        }
        if (writesRstd_) {
            rstd_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(rstd), rows);
        }
        pipe_.InitBuffer(gammas_, 1, padded * sizeof(float));
        pipe_.InitBuffer(in_, 2, padded * sizeof(float));
        pipe_.InitBuffer(out_, 2, padded * sizeof(float));
        pipe_.InitBuffer(sums_, 2, kLane * sizeof(float));
        pipe_.InitBuffer(square_, padded * sizeof(float));
        pipe_.InitBuffer(work_, padded * sizeof(float));
    }

    __aicore__ inline void Process(float eps, bool scaled)
    {
        LocalTensor<float> gamma;
        if (scaled) {
            gamma = gammas_.AllocTensor<float>();
            DataCopyPad(gamma, gamma_, Row(), DataCopyPadExtParams<float>{false, 0, 0, 0});
            gammas_.EnQue(gamma);
            gamma = gammas_.DeQue<float>();
        }
        for (uint32_t row = GetBlockIdx(); row < rows_; row += GetBlockNum()) {
            One(row, eps, scaled, gamma);
        }
        if (scaled) {
            gammas_.FreeTensor(gamma);
        }
    }

private:
    __aicore__ inline DataCopyExtParams Row() const
    {
        return {1, static_cast<uint32_t>(cols_ * sizeof(float)), 0, 0, 0};
    }

    __aicore__ inline void One(uint32_t row, float eps, bool scaled, const LocalTensor<float>& gamma)
    {
        LocalTensor<float> in = in_.AllocTensor<float>();
        DataCopyPad(in, x_[row * cols_], Row(), DataCopyPadExtParams<float>{false, 0, 0, 0});
        in_.EnQue(in);
        in = in_.DeQue<float>();
        LocalTensor<float> square = square_.Get<float>();
        LocalTensor<float> sum = sums_.AllocTensor<float>();
        Mul(square, in, in, cols_);
        ReduceSum<float>(sum, square, work_.Get<float>(), cols_);
        Muls(sum, sum, 1.0f / static_cast<float>(cols_), 1);
        Adds(sum, sum, eps, 1);
        Sqrt(sum, sum, 1);
        Duplicate(square, 1.0f, 1);
        Div(sum, square, sum, 1);
        const event_t ready = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(ready);
        WaitFlag<HardEvent::V_S>(ready);
        const float factor = sum.GetValue(0);
        LocalTensor<float> out = out_.AllocTensor<float>();
        Muls(out, in, factor, cols_);
        if (scaled) {
            Mul(out, out, gamma, cols_);
        }
        in_.FreeTensor(in);
        out_.EnQue(out);
        out = out_.DeQue<float>();
        DataCopyPad(y_[row * cols_], out, Row());
        out_.FreeTensor(out);
        sums_.EnQue(sum);
        sum = sums_.DeQue<float>();
        if (writesRstd_) {
            DataCopyPad(rstd_[row], sum, DataCopyExtParams{1, sizeof(float), 0, 0, 0});
        }
        sums_.FreeTensor(sum);
    }

    TPipe pipe_;
    TQue<QuePosition::VECIN, 1> gammas_;
    TQue<QuePosition::VECIN, 2> in_;
    TQue<QuePosition::VECOUT, 2> out_, sums_;
    TBuf<> square_, work_;
    GlobalTensor<float> x_, gamma_, y_, rstd_;
    uint32_t rows_, cols_;
    bool writesRstd_;
};

extern "C" __global__ __aicore__ void rms_norm_optional_custom(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd,
                                                               GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    RowNorm op(x, gamma, y, rstd, data.rows, data.cols);
    op.Process(data.eps, data.scaled != 0);
}
