#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 4096;                          // elements of a tile: 16 KB a buffer, 96 KB of UB in all
constexpr uint32_t PER_BLOCK = 32 / sizeof(float);       // elements of 32 B

class KernelAdd {
public:
    __aicore__ inline void Init(TPipe* pipe, GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total)
    {
        // every core takes the same number of elements, a multiple of 32 B, so that no two cores write one block;
        // the last ones take what is left, which may be nothing
        const uint32_t cores = static_cast<uint32_t>(GetBlockNum());
        const uint32_t share = (total + cores * PER_BLOCK - 1) / (cores * PER_BLOCK) * PER_BLOCK;
        const uint32_t begin = share * static_cast<uint32_t>(GetBlockIdx());
        length = begin < total ? (total - begin < share ? total - begin : share) : 0;
        if (length == 0) {
            return;
        }
        xGm.SetGlobalBuffer((__gm__ float*)x + begin, length);
        yGm.SetGlobalBuffer((__gm__ float*)y + begin, length);
        zGm.SetGlobalBuffer((__gm__ float*)z + begin, length);
        pipe->InitBuffer(xQue, 2, TILE * sizeof(float));
        pipe->InitBuffer(yQue, 2, TILE * sizeof(float));
        pipe->InitBuffer(zQue, 2, TILE * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        for (uint32_t done = 0; done < length; done += TILE) {
            const uint32_t count = length - done < TILE ? length - done : TILE;
            CopyIn(done, count);
            Compute(count);
            CopyOut(done, count);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t offset, uint32_t count)
    {
        LocalTensor<float> x = xQue.AllocTensor<float>();
        LocalTensor<float> y = yQue.AllocTensor<float>();
        const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        const DataCopyPadExtParams<float> pad{false, 0, 0, 0.0f};
        DataCopyPad(x, xGm[offset], copy, pad);
        DataCopyPad(y, yGm[offset], copy, pad);
        xQue.EnQue(x);
        yQue.EnQue(y);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        LocalTensor<float> x = xQue.DeQue<float>();
        LocalTensor<float> y = yQue.DeQue<float>();
        LocalTensor<float> z = zQue.AllocTensor<float>();
        Add(z, x, y, static_cast<int32_t>(count));
        zQue.EnQue(z);
        xQue.FreeTensor(x);
        yQue.FreeTensor(y);
    }

    __aicore__ inline void CopyOut(uint32_t offset, uint32_t count)
    {
        LocalTensor<float> z = zQue.DeQue<float>();
        DataCopyPad(zGm[offset], z, DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
        zQue.FreeTensor(z);
    }

    TQue<QuePosition::VECIN, 1> xQue, yQue;
    TQue<QuePosition::VECOUT, 1> zQue;
    GlobalTensor<float> xGm, yGm, zGm;
    uint32_t length = 0;
};

extern "C" __global__ __aicore__ void add_float(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA_WITH_STRUCT(TilingData, t, tiling);
    TPipe pipe;
    KernelAdd op;
    op.Init(&pipe, x, y, z, t.n);
    op.Process();
}
