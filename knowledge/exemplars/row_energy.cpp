#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t CHUNK = 8192;                         // elements of a row that are in UB at a time
constexpr uint32_t PER_BLOCK = 32 / sizeof(float);

class KernelRowEnergy {
public:
    __aicore__ inline void Init(TPipe* pipe, GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t cols)
    {
        // eight results fill 32 B: a core takes a multiple of eight rows, so that it owns the blocks that it writes
        const uint32_t cores = static_cast<uint32_t>(GetBlockNum());
        const uint32_t share = (rows + cores * PER_BLOCK - 1) / (cores * PER_BLOCK) * PER_BLOCK;
        firstRow = share * static_cast<uint32_t>(GetBlockIdx());
        rowCount = firstRow < rows ? (rows - firstRow < share ? rows - firstRow : share) : 0;
        width = cols;
        if (rowCount == 0) {
            return;
        }
        xGm.SetGlobalBuffer((__gm__ float*)x + static_cast<uint64_t>(firstRow) * cols, static_cast<uint64_t>(rowCount) * cols);
        yGm.SetGlobalBuffer((__gm__ float*)y + firstRow, rowCount);
        pipe->InitBuffer(inQue, 2, CHUNK * sizeof(float));
        pipe->InitBuffer(outQue, 1, PER_BLOCK * sizeof(float));
        pipe->InitBuffer(squareBuf, CHUNK * sizeof(float));
        pipe->InitBuffer(sumBuf, PER_BLOCK * sizeof(float));
        pipe->InitBuffer(workBuf, CHUNK * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t row = 0; row < rowCount; row += PER_BLOCK) {
            const uint32_t group = rowCount - row < PER_BLOCK ? rowCount - row : PER_BLOCK;
            LocalTensor<float> y = outQue.AllocTensor<float>();
            for (uint32_t i = 0; i < group; ++i) {
                y.SetValue(i, RowSum(row + i));
            }
            // SetValue runs on the scalar unit; the copy out must wait for it
            const int32_t id = static_cast<int32_t>(GetTPipePtr()->FetchEventID(HardEvent::S_MTE3));
            SetFlag<HardEvent::S_MTE3>(id);
            WaitFlag<HardEvent::S_MTE3>(id);
            outQue.EnQue(y);
            y = outQue.DeQue<float>();
            DataCopyPad(yGm[row], y, DataCopyExtParams{1, static_cast<uint32_t>(group * sizeof(float)), 0, 0, 0});
            outQue.FreeTensor(y);
            // the queue makes the vector unit wait for this copy, but it is the scalar unit that writes next
            const int32_t copied = static_cast<int32_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE3_S));
            SetFlag<HardEvent::MTE3_S>(copied);
            WaitFlag<HardEvent::MTE3_S>(copied);
        }
    }

private:
    __aicore__ inline float RowSum(uint32_t row)
    {
        float total = 0.0f;
        for (uint32_t done = 0; done < width; done += CHUNK) {
            const uint32_t count = width - done < CHUNK ? width - done : CHUNK;
            LocalTensor<float> in = inQue.AllocTensor<float>();
            DataCopyPad(in, xGm[static_cast<uint64_t>(row) * width + done],
                        DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0},
                        DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
            inQue.EnQue(in);
            LocalTensor<float> x = inQue.DeQue<float>();
            LocalTensor<float> square = squareBuf.Get<float>();
            LocalTensor<float> sum = sumBuf.Get<float>();
            LocalTensor<float> work = workBuf.Get<float>();
            Mul(square, x, x, static_cast<int32_t>(count));
            ReduceSum(sum, square, work, static_cast<int32_t>(count));   // counts exactly, so the padding is not added
            inQue.FreeTensor(x);
            // GetValue reads on the scalar unit what the vector unit wrote
            const int32_t id = static_cast<int32_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
            SetFlag<HardEvent::V_S>(id);
            WaitFlag<HardEvent::V_S>(id);
            total += sum.GetValue(0);
        }
        return total;
    }

    TQue<QuePosition::VECIN, 1> inQue;
    TQue<QuePosition::VECOUT, 1> outQue;
    TBuf<QuePosition::VECCALC> squareBuf, sumBuf, workBuf;
    GlobalTensor<float> xGm, yGm;
    uint32_t firstRow = 0, rowCount = 0, width = 0;
};

extern "C" __global__ __aicore__ void row_energy(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA_WITH_STRUCT(TilingData, t, tiling);
    TPipe pipe;
    KernelRowEnergy op;
    op.Init(&pipe, x, y, t.rows, t.cols);
    op.Process();
}
