#include "kernel_operator.h"

using namespace AscendC;

class MixState {
public:
    __aicore__ inline MixState()
    {
        pipe.InitBuffer(in, 1, 256);
        pipe.InitBuffer(more, 1, 256);
        pipe.InitBuffer(out, 1, 256);
    }
    // to = factor * from + other, of at most 64 elements; one is added where there is no other
    __aicore__ inline void One(__gm__ float *from, __gm__ float *other, __gm__ float *to, uint32_t count, float factor,
                               float plus)
    {
        const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        const DataCopyPadExtParams<float> pad{false, 0, 0, 0};
        GlobalTensor<float> gm;
        gm.SetGlobalBuffer(from, count);
        LocalTensor<float> a = in.AllocTensor<float>();
        DataCopyPad(a, gm, copy, pad);
        in.EnQue(a);
        a = in.DeQue<float>();
        LocalTensor<float> c = out.AllocTensor<float>();
        Muls(c, a, factor, count);
        if (other != nullptr) {
            GlobalTensor<float> second;
            second.SetGlobalBuffer(other, count);
            LocalTensor<float> b = more.AllocTensor<float>();
            DataCopyPad(b, second, copy, pad);
            more.EnQue(b);
            b = more.DeQue<float>();
            Add(c, c, b, count);
            more.FreeTensor(b);
        } else {
            Adds(c, c, plus, count);
        }
        in.FreeTensor(a);
        out.EnQue(c);
        c = out.DeQue<float>();
        gm.SetGlobalBuffer(to, count);
        DataCopyPad(gm, c, copy);
        out.FreeTensor(c);
    }

private:
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in, more;
    TQue<QuePosition::VECOUT, 1> out;
};

extern "C" __global__ __aicore__ void mix_state(GM_ADDR x, GM_ADDR gamma, GM_ADDR state, GM_ADDR y, GM_ADDR state_ref,
                                                GM_ADDR scratch, GM_ADDR workspace, GM_ADDR tiling)
{
    if (GetBlockIdx() != 0) {
        return;
    }
    GET_TILING_DATA(data, tiling);
    MixState op;
    ListTensorDesc from((__gm__ void *)x), to((__gm__ void *)y);
    uint64_t dims[8];
    TensorDesc<float> desc;
    desc.SetShapeAddr(dims);
    for (uint32_t i = 0; i < from.GetSize(); ++i) {
        from.GetDesc(desc, i);
        uint32_t count = 1;
        for (uint32_t axis = 0; axis < desc.GetDim(); ++axis) {
            count *= desc.GetShape(axis);
        }
        op.One(from.GetDataPtr<__gm__ float>(i), nullptr, to.GetDataPtr<__gm__ float>(i), count,
               static_cast<float>(data.factor), 0);
    }
    if (data.adds) {
        op.One((__gm__ float *)state, data.hasGamma ? (__gm__ float *)gamma : nullptr, (__gm__ float *)state_ref, 4, 1, 1);
    }
}
