#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 4096;
constexpr uint32_t PER_BLOCK = 32 / sizeof(half);

class KernelSoftsign {
public:
    __aicore__ inline void Init(TPipe* pipe, GM_ADDR x, GM_ADDR y, uint32_t total)
    {
        const uint32_t cores = static_cast<uint32_t>(GetBlockNum());
        const uint32_t share = (total + cores * PER_BLOCK - 1) / (cores * PER_BLOCK) * PER_BLOCK;
        const uint32_t begin = share * static_cast<uint32_t>(GetBlockIdx());
        length = begin < total ? (total - begin < share ? total - begin : share) : 0;
        if (length == 0) {
            return;
        }
        xGm.SetGlobalBuffer((__gm__ half*)x + begin, length);
        yGm.SetGlobalBuffer((__gm__ half*)y + begin, length);
        pipe->InitBuffer(inQue, 2, TILE * sizeof(half));
        pipe->InitBuffer(outQue, 2, TILE * sizeof(half));
        pipe->InitBuffer(valueBuf, TILE * sizeof(float));
        pipe->InitBuffer(scaleBuf, TILE * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t done = 0; done < length; done += TILE) {
            const uint32_t count = length - done < TILE ? length - done : TILE;
            CopyIn(done, count);
            Compute(static_cast<int32_t>(count));
            CopyOut(done, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t offset, uint32_t count)
    {
        LocalTensor<half> x = inQue.AllocTensor<half>();
        DataCopyPad(x, xGm[offset], DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(half)), 0, 0, 0},
                    DataCopyPadExtParams<half>{false, 0, 0, static_cast<half>(0)});
        inQue.EnQue(x);
    }

    __aicore__ inline void Compute(int32_t count)
    {
        LocalTensor<half> x = inQue.DeQue<half>();
        LocalTensor<half> y = outQue.AllocTensor<half>();
        LocalTensor<float> value = valueBuf.Get<float>();
        LocalTensor<float> scale = scaleBuf.Get<float>();
        Cast(value, x, RoundMode::CAST_NONE, count);         // widening is exact
        inQue.FreeTensor(x);
        Abs(scale, value, count);
        Adds(scale, scale, 1.0f, count);                     // scalar and tensor are both float
        Div(value, value, scale, count);
        Cast(y, value, RoundMode::CAST_RINT, count);         // narrowing names its rounding
        outQue.EnQue(y);
    }

    __aicore__ inline void CopyOut(uint32_t offset, uint32_t count)
    {
        LocalTensor<half> y = outQue.DeQue<half>();
        DataCopyPad(yGm[offset], y, DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(half)), 0, 0, 0});
        outQue.FreeTensor(y);
    }

    TQue<QuePosition::VECIN, 1> inQue;
    TQue<QuePosition::VECOUT, 1> outQue;
    TBuf<QuePosition::VECCALC> valueBuf, scaleBuf;
    GlobalTensor<half> xGm, yGm;
    uint32_t length = 0;
};

extern "C" __global__ __aicore__ void softsign_half(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA_WITH_STRUCT(TilingData, t, tiling);
    TPipe pipe;
    KernelSoftsign op;
    op.Init(&pipe, x, y, t.n);
    op.Process();
}
