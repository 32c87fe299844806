#include "kernel_operator.h"
using namespace AscendC;

template <typename T>
class KernelScaleRows {
public:
    __aicore__ inline void Init(TPipe* pipe, GM_ADDR x, GM_ADDR s, GM_ADDR y, uint32_t rows, uint32_t cols)
    {
        const uint32_t cores = static_cast<uint32_t>(GetBlockNum());
        const uint32_t share = (rows + cores - 1) / cores;
        const uint32_t first = share * static_cast<uint32_t>(GetBlockIdx());
        rowCount = first < rows ? (rows - first < share ? rows - first : share) : 0;
        width = cols;
        pitch = (cols + PER_BLOCK - 1) / PER_BLOCK * PER_BLOCK;      // a row starts at a 32 B boundary in UB
        if (rowCount == 0) {
            return;
        }
        group = TILE / pitch > 0 ? TILE / pitch : 1;                 // rows of one copy
        group = group < rowCount ? group : rowCount;
        const uint64_t begin = static_cast<uint64_t>(first) * cols;
        xGm.SetGlobalBuffer((__gm__ T*)x + begin, static_cast<uint64_t>(rowCount) * cols);
        yGm.SetGlobalBuffer((__gm__ T*)y + begin, static_cast<uint64_t>(rowCount) * cols);
        sGm.SetGlobalBuffer((__gm__ T*)s, cols);
        pipe->InitBuffer(inQue, 2, group * pitch * sizeof(T));
        pipe->InitBuffer(outQue, 2, group * pitch * sizeof(T));
        pipe->InitBuffer(scaleBuf, pitch * sizeof(float));
        pipe->InitBuffer(valueBuf, pitch * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        if (rowCount == 0) {
            return;
        }
        CopyIn(sGm, 1);
        LocalTensor<T> s = inQue.template DeQue<T>();
        Cast(scaleBuf.template Get<float>(), s, RoundMode::CAST_NONE, width);
        inQue.FreeTensor(s);
        for (uint32_t row = 0; row < rowCount; row += group) {
            const uint32_t rows = rowCount - row < group ? rowCount - row : group;
            CopyIn(xGm[static_cast<uint64_t>(row) * width], rows);
            Compute(rows);
            CopyOut(row, rows);
        }
    }

private:
    static constexpr uint32_t PER_BLOCK = 32 / sizeof(T);
    static constexpr uint32_t TILE = 8192;

    __aicore__ inline void CopyIn(const GlobalTensor<T>& gm, uint32_t rows)
    {
        LocalTensor<T> x = inQue.template AllocTensor<T>();
        // gaps: none in global memory, none in UB, where every row is completed to 32 B by itself
        DataCopyPad(x, gm, DataCopyExtParams{static_cast<uint16_t>(rows), static_cast<uint32_t>(width * sizeof(T)), 0, 0, 0},
                    DataCopyPadExtParams<T>{false, 0, 0, static_cast<T>(0)});
        inQue.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t rows)
    {
        LocalTensor<T> x = inQue.template DeQue<T>();
        LocalTensor<T> y = outQue.template AllocTensor<T>();
        LocalTensor<float> scale = scaleBuf.template Get<float>();
        LocalTensor<float> value = valueBuf.template Get<float>();
        for (uint32_t i = 0; i < rows; ++i) {
            Cast(value, x[i * pitch], RoundMode::CAST_NONE, width);
            Mul(value, value, scale, static_cast<int32_t>(width));
            Cast(y[i * pitch], value, RoundMode::CAST_RINT, width);
        }
        outQue.EnQue(y);
        inQue.FreeTensor(x);
    }

    __aicore__ inline void CopyOut(uint32_t row, uint32_t rows)
    {
        LocalTensor<T> y = outQue.template DeQue<T>();
        DataCopyPad(yGm[static_cast<uint64_t>(row) * width], y,
                    DataCopyExtParams{static_cast<uint16_t>(rows), static_cast<uint32_t>(width * sizeof(T)), 0, 0, 0});
        outQue.FreeTensor(y);
    }

    TQue<QuePosition::VECIN, 1> inQue;
    TQue<QuePosition::VECOUT, 1> outQue;
    TBuf<QuePosition::VECCALC> scaleBuf, valueBuf;
    GlobalTensor<T> xGm, sGm, yGm;
    uint32_t rowCount = 0, width = 0, pitch = 0, group = 1;
};

extern "C" __global__ __aicore__ void scale_rows_bf16(GM_ADDR x, GM_ADDR s, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA_WITH_STRUCT(TilingData, t, tiling);
    TPipe pipe;
    KernelScaleRows<bfloat16_t> op;
    op.Init(&pipe, x, s, y, t.rows, t.cols);
    op.Process();
}
