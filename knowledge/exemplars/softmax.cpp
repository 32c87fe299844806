#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t PER_BLOCK = 32 / sizeof(float);

class KernelSoftmax {
public:
    __aicore__ inline void Init(TPipe* pipe, GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t cols)
    {
        const uint32_t cores = static_cast<uint32_t>(GetBlockNum());
        const uint32_t share = (rows + cores - 1) / cores;
        const uint32_t first = share * static_cast<uint32_t>(GetBlockIdx());
        rowCount = first < rows ? (rows - first < share ? rows - first : share) : 0;
        width = cols;
        if (rowCount == 0) {
            return;
        }
        const uint64_t begin = static_cast<uint64_t>(first) * cols;
        xGm.SetGlobalBuffer((__gm__ float*)x + begin, static_cast<uint64_t>(rowCount) * cols);
        yGm.SetGlobalBuffer((__gm__ float*)y + begin, static_cast<uint64_t>(rowCount) * cols);
        const uint32_t rowBytes = (cols + PER_BLOCK - 1) / PER_BLOCK * 32;
        pipe->InitBuffer(inQue, 2, rowBytes);
        pipe->InitBuffer(outQue, 2, rowBytes);
        pipe->InitBuffer(workBuf, rowBytes);
        pipe->InitBuffer(scalarBuf, 32);
    }

    __aicore__ inline void Process()
    {
        for (uint32_t row = 0; row < rowCount; ++row) {
            CopyIn(row);
            Compute();
            CopyOut(row);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t row)
    {
        LocalTensor<float> x = inQue.AllocTensor<float>();
        DataCopyPad(x, xGm[static_cast<uint64_t>(row) * width],
                    DataCopyExtParams{1, static_cast<uint32_t>(width * sizeof(float)), 0, 0, 0},
                    DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
        inQue.EnQue(x);
    }

    // A row's scalar: the scalar unit reads it after the vector unit has written it.
    __aicore__ inline float First(const LocalTensor<float>& tensor)
    {
        const int32_t id = static_cast<int32_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
        SetFlag<HardEvent::V_S>(id);
        WaitFlag<HardEvent::V_S>(id);
        return tensor.GetValue(0);
    }

    __aicore__ inline void Compute()
    {
        const int32_t count = static_cast<int32_t>(width);
        LocalTensor<float> x = inQue.DeQue<float>();
        LocalTensor<float> y = outQue.AllocTensor<float>();
        LocalTensor<float> work = workBuf.Get<float>();
        LocalTensor<float> scalar = scalarBuf.Get<float>();
        ReduceMax(scalar, x, work, count);
        const float largest = First(scalar);
        Adds(y, x, -largest, count);                         // at most 0, so that Exp cannot overflow
        inQue.FreeTensor(x);
        Exp(y, y, count);
        ReduceSum(scalar, y, work, count);
        const float sum = First(scalar);
        Muls(y, y, 1.0f / sum, count);
        outQue.EnQue(y);
    }

    __aicore__ inline void CopyOut(uint32_t row)
    {
        LocalTensor<float> y = outQue.DeQue<float>();
        DataCopyPad(yGm[static_cast<uint64_t>(row) * width], y,
                    DataCopyExtParams{1, static_cast<uint32_t>(width * sizeof(float)), 0, 0, 0});
        outQue.FreeTensor(y);
    }

    TQue<QuePosition::VECIN, 1> inQue;
    TQue<QuePosition::VECOUT, 1> outQue;
    TBuf<QuePosition::VECCALC> workBuf, scalarBuf;
    GlobalTensor<float> xGm, yGm;
    uint32_t rowCount = 0, width = 0;
};

extern "C" __global__ __aicore__ void softmax_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA_WITH_STRUCT(TilingData, t, tiling);
    TPipe pipe;
    KernelSoftmax op;
    op.Init(&pipe, x, y, t.rows, t.cols);
    op.Process();
}
