#include "kernel_operator.h"
using namespace AscendC;

class ScaleList {
public:
    __aicore__ inline ScaleList(float alpha, uint32_t tile) : alpha_(alpha), tile_(tile)
    {
        pipe_.InitBuffer(in_, 2, tile * sizeof(float));
        pipe_.InitBuffer(out_, 2, tile * sizeof(float));
    }

    // Every block takes every GetBlockNum()-th tile of every tensor.
    __aicore__ inline void Process(GM_ADDR x, GM_ADDR y)
    {
        ListTensorDesc from(reinterpret_cast<__gm__ void*>(x));
        ListTensorDesc to(reinterpret_cast<__gm__ void*>(y));
        uint64_t dims[8] = {0};
        TensorDesc<float> desc;
        desc.SetShapeAddr(dims);
        for (uint32_t i = 0; i < from.GetSize(); ++i) {
            from.GetDesc(desc, i);
            uint64_t size = 1;
            for (uint64_t axis = 0; axis < desc.GetDim(); ++axis) {
                size *= desc.GetShape(axis);
            }
            source_.SetGlobalBuffer(from.GetDataPtr<__gm__ float>(i), size);
            target_.SetGlobalBuffer(to.GetDataPtr<__gm__ float>(i), size);
            for (uint64_t at = GetBlockIdx() * tile_; at < size; at += GetBlockNum() * tile_) {
                One(at, size - at < tile_ ? size - at : tile_);
            }
        }
    }

private:
    __aicore__ inline void One(uint64_t at, uint32_t count)
    {
        const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        LocalTensor<float> in = in_.AllocTensor<float>();
        DataCopyPad(in, source_[at], copy, DataCopyPadExtParams<float>{false, 0, 0, 0});
        in_.EnQue(in);
        in = in_.DeQue<float>();
        LocalTensor<float> out = out_.AllocTensor<float>();
        Muls(out, in, alpha_, count);
        in_.FreeTensor(in);
        out_.EnQue(out);
        out = out_.DeQue<float>();
        DataCopyPad(target_[at], out, copy);
        out_.FreeTensor(out);
    }

    TPipe pipe_;
    TQue<QuePosition::VECIN, 2> in_;
    TQue<QuePosition::VECOUT, 2> out_;
    GlobalTensor<float> source_;
    GlobalTensor<float> target_;
    float alpha_;
    uint32_t tile_;
};

extern "C" __global__ __aicore__ void scale_list_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    ScaleList op(data.alpha, data.tile);
    op.Process(x, y);
}
