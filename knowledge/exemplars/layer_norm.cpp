#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t PER_BLOCK = 32 / sizeof(half);

class KernelLayerNorm {
public:
    __aicore__ inline void Init(TPipe* pipe, GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, uint32_t rows, uint32_t cols,
                                float epsilon)
    {
        const uint32_t cores = static_cast<uint32_t>(GetBlockNum());
        const uint32_t share = (rows + cores - 1) / cores;
        const uint32_t first = share * static_cast<uint32_t>(GetBlockIdx());
        rowCount = first < rows ? (rows - first < share ? rows - first : share) : 0;
        width = cols;
        eps = epsilon;
        if (rowCount == 0) {
            return;
        }
        const uint64_t begin = static_cast<uint64_t>(first) * cols;
        xGm.SetGlobalBuffer((__gm__ half*)x + begin, static_cast<uint64_t>(rowCount) * cols);
        yGm.SetGlobalBuffer((__gm__ half*)y + begin, static_cast<uint64_t>(rowCount) * cols);
        gammaGm.SetGlobalBuffer((__gm__ half*)gamma, cols);
        betaGm.SetGlobalBuffer((__gm__ half*)beta, cols);
        const uint32_t padded = (cols + PER_BLOCK - 1) / PER_BLOCK * PER_BLOCK;
        pipe->InitBuffer(inQue, 2, padded * sizeof(half));
        pipe->InitBuffer(outQue, 2, padded * sizeof(half));
        pipe->InitBuffer(gammaBuf, padded * sizeof(float));
        pipe->InitBuffer(betaBuf, padded * sizeof(float));
        pipe->InitBuffer(valueBuf, padded * sizeof(float));
        pipe->InitBuffer(workBuf, padded * sizeof(float));
        pipe->InitBuffer(scalarBuf, 32);
    }

    __aicore__ inline void Process()
    {
        if (rowCount == 0) {
            return;
        }
        LoadParameter(gammaGm, gammaBuf.Get<float>());
        LoadParameter(betaGm, betaBuf.Get<float>());
        for (uint32_t row = 0; row < rowCount; ++row) {
            CopyIn(xGm[static_cast<uint64_t>(row) * width]);
            Compute();
            CopyOut(row);
        }
    }

private:
    __aicore__ inline void CopyIn(const GlobalTensor<half>& gm)
    {
        LocalTensor<half> x = inQue.AllocTensor<half>();
        DataCopyPad(x, gm, DataCopyExtParams{1, static_cast<uint32_t>(width * sizeof(half)), 0, 0, 0},
                    DataCopyPadExtParams<half>{false, 0, 0, static_cast<half>(0)});
        inQue.EnQue(x);
    }

    // Parameters pass through the input queue once and stay in UB as float.
    __aicore__ inline void LoadParameter(const GlobalTensor<half>& gm, const LocalTensor<float>& kept)
    {
        CopyIn(gm);
        LocalTensor<half> x = inQue.DeQue<half>();
        Cast(kept, x, RoundMode::CAST_NONE, width);
        inQue.FreeTensor(x);
    }

    __aicore__ inline float Mean(const LocalTensor<float>& values)
    {
        LocalTensor<float> scalar = scalarBuf.Get<float>();
        LocalTensor<float> work = workBuf.Get<float>();
        ReduceSum(scalar, values, work, static_cast<int32_t>(width));
        const int32_t id = static_cast<int32_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(id);
        WaitFlag<HardEvent::V_S>(id);
        return scalar.GetValue(0) / static_cast<float>(width);
    }

    __aicore__ inline void Compute()
    {
        const int32_t count = static_cast<int32_t>(width);
        LocalTensor<half> x = inQue.DeQue<half>();
        LocalTensor<half> y = outQue.AllocTensor<half>();
        LocalTensor<float> value = valueBuf.Get<float>();
        LocalTensor<float> work = workBuf.Get<float>();
        Cast(value, x, RoundMode::CAST_NONE, width);
        inQue.FreeTensor(x);
        Adds(value, value, -Mean(value), count);             // centre first: the variance loses no digits
        Mul(work, value, value, count);
        const float variance = Mean(work);
        LocalTensor<float> scalar = scalarBuf.Get<float>();
        Duplicate(scalar, variance + eps, 8);
        Sqrt(scalar, scalar, 8);                             // the scalar unit has no square root of its own
        const int32_t id = static_cast<int32_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(id);
        WaitFlag<HardEvent::V_S>(id);
        Muls(value, value, 1.0f / scalar.GetValue(0), count);
        Mul(value, value, gammaBuf.Get<float>(), count);
        Add(value, value, betaBuf.Get<float>(), count);
        Cast(y, value, RoundMode::CAST_RINT, width);
        outQue.EnQue(y);
    }

    __aicore__ inline void CopyOut(uint32_t row)
    {
        LocalTensor<half> y = outQue.DeQue<half>();
        DataCopyPad(yGm[static_cast<uint64_t>(row) * width], y,
                    DataCopyExtParams{1, static_cast<uint32_t>(width * sizeof(half)), 0, 0, 0});
        outQue.FreeTensor(y);
    }

    TQue<QuePosition::VECIN, 1> inQue;
    TQue<QuePosition::VECOUT, 1> outQue;
    TBuf<QuePosition::VECCALC> gammaBuf, betaBuf, valueBuf, workBuf, scalarBuf;
    GlobalTensor<half> xGm, gammaGm, betaGm, yGm;
    uint32_t rowCount = 0, width = 0;
    float eps = 0.0f;
};

extern "C" __global__ __aicore__ void layer_norm_half(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR workspace,
                                                      GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA_WITH_STRUCT(TilingData, t, tiling);
    TPipe pipe;
    KernelLayerNorm op;
    op.Init(&pipe, x, gamma, beta, y, t.rows, t.cols, t.eps);
    op.Process();
}
