#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TOTAL = 30000;                        // the task is static: its size is a constant
constexpr uint32_t TILE = 4096;
constexpr uint32_t ALIGN = 32 / sizeof(half);            // the narrowest type decides where cores may meet

class KernelConvert {
public:
    __aicore__ inline void Init(TPipe* pipe, GM_ADDR x, GM_ADDR y)
    {
        const uint32_t cores = static_cast<uint32_t>(GetBlockNum());
        const uint32_t share = (TOTAL + cores * ALIGN - 1) / (cores * ALIGN) * ALIGN;
        const uint32_t begin = share * static_cast<uint32_t>(GetBlockIdx());
        length = begin < TOTAL ? (TOTAL - begin < share ? TOTAL - begin : share) : 0;
        if (length == 0) {
            return;
        }
        xGm.SetGlobalBuffer((__gm__ int32_t*)x + begin, length);
        yGm.SetGlobalBuffer((__gm__ half*)y + begin, length);
        pipe->InitBuffer(inQue, 2, TILE * sizeof(int32_t));
        pipe->InitBuffer(outQue, 2, TILE * sizeof(half));
        pipe->InitBuffer(floatBuf, TILE * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t done = 0; done < length; done += TILE) {
            const uint32_t count = length - done < TILE ? length - done : TILE;
            LocalTensor<int32_t> x = inQue.AllocTensor<int32_t>();
            DataCopyPad(x, xGm[done], DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(int32_t)), 0, 0, 0},
                        DataCopyPadExtParams<int32_t>{false, 0, 0, 0});
            inQue.EnQue(x);
            Convert(count);
            LocalTensor<half> y = outQue.DeQue<half>();
            DataCopyPad(yGm[done], y, DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(half)), 0, 0, 0});
            outQue.FreeTensor(y);
        }
    }

private:
    __aicore__ inline void Convert(uint32_t count)
    {
        LocalTensor<int32_t> x = inQue.DeQue<int32_t>();
        LocalTensor<half> y = outQue.AllocTensor<half>();
        LocalTensor<float> f = floatBuf.Get<float>();
        Cast(f, x, RoundMode::CAST_NONE, count);
        Cast(y, f, RoundMode::CAST_RINT, count);
        outQue.EnQue(y);
        inQue.FreeTensor(x);
    }

    TQue<QuePosition::VECIN, 1> inQue;
    TQue<QuePosition::VECOUT, 1> outQue;
    TBuf<QuePosition::VECCALC> floatBuf;
    GlobalTensor<int32_t> xGm;
    GlobalTensor<half> yGm;
    uint32_t length = 0;
};

extern "C" __global__ __aicore__ void convert_int(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    TPipe pipe;
    KernelConvert op;
    op.Init(&pipe, x, y);
    op.Process();
}
