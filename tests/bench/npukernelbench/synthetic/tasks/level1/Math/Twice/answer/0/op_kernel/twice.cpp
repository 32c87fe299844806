#include "kernel_operator.h"

using namespace AscendC;

class Twice {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t total, uint32_t tile)
    {
        this->tile = tile;
        const uint32_t tiles = (total + tile - 1) / tile;
        const uint32_t perBlock = (tiles + GetBlockNum() - 1) / GetBlockNum() * tile;
        begin = GetBlockIdx() * perBlock;
        end = begin + perBlock < total ? begin + perBlock : total;
        xGm.SetGlobalBuffer((__gm__ DTYPE_X *)x, total);
        yGm.SetGlobalBuffer((__gm__ DTYPE_Y *)y, total);
        pipe.InitBuffer(in, 2, tile * sizeof(DTYPE_X));
        pipe.InitBuffer(out, 2, tile * sizeof(DTYPE_Y));
    }
    __aicore__ inline void Process()
    {
        for (uint32_t at = begin; at < end; at += tile) {
            LocalTensor<DTYPE_X> x = in.AllocTensor<DTYPE_X>();
            DataCopy(x, xGm[at], tile);
            in.EnQue(x);
            x = in.DeQue<DTYPE_X>();
            LocalTensor<DTYPE_Y> y = out.AllocTensor<DTYPE_Y>();
            Add(y, x, x, tile);
            out.EnQue(y);
            in.FreeTensor(x);
            y = out.DeQue<DTYPE_Y>();
            DataCopy(yGm[at], y, tile);
            out.FreeTensor(y);
        }
    }

private:
    TPipe pipe;
    TQue<QuePosition::VECIN, 2> in;
    TQue<QuePosition::VECOUT, 2> out;
    GlobalTensor<DTYPE_X> xGm;
    GlobalTensor<DTYPE_Y> yGm;
    uint32_t tile, begin, end;
};

extern "C" __global__ __aicore__ void twice(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    Twice op;
    op.Init(x, y, data.total, data.tile);
    op.Process();
}
