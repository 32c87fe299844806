#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 2048;  // elements
constexpr uint32_t MAX_RANK = 8;

class SignedSquareList {
public:
    __aicore__ inline SignedSquareList()
    {
        pipe.InitBuffer(inQueue, 2, TILE * sizeof(float));
        pipe.InitBuffer(outQueue, 2, TILE * sizeof(float));
    }

    __aicore__ inline void Process(GM_ADDR x, GM_ADDR y)
    {
        ListTensorDesc from(reinterpret_cast<__gm__ void*>(x));
        ListTensorDesc to(reinterpret_cast<__gm__ void*>(y));
        uint64_t shape[MAX_RANK] = {0};
        TensorDesc<float> desc;
        desc.SetShapeAddr(shape);  // GetDesc writes the sizes there
        for (uint32_t i = 0; i < from.GetSize(); ++i) {
            from.GetDesc(desc, i);
            uint64_t size = 1;  // a tensor without axes has one element
            for (uint64_t axis = 0; axis < desc.GetDim(); ++axis) {
                size *= desc.GetShape(axis);
            }
            xGm.SetGlobalBuffer(from.GetDataPtr<__gm__ float>(i), size);
            yGm.SetGlobalBuffer(to.GetDataPtr<__gm__ float>(i), size);
            for (uint64_t at = GetBlockIdx() * TILE; at < size; at += GetBlockNum() * TILE) {
                OneTile(at, size - at < TILE ? static_cast<uint32_t>(size - at) : TILE);
            }
        }
    }

private:
    __aicore__ inline void OneTile(uint64_t at, uint32_t count)
    {
        const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0};
        LocalTensor<float> x = inQueue.AllocTensor<float>();
        DataCopyPad(x, xGm[at], copy, DataCopyPadExtParams<float>{false, 0, 0, 0});
        inQueue.EnQue(x);
        x = inQueue.DeQue<float>();
        LocalTensor<float> y = outQueue.AllocTensor<float>();
        Abs(y, x, count);
        Mul(y, y, x, count);
        inQueue.FreeTensor(x);
        outQueue.EnQue(y);
        y = outQueue.DeQue<float>();
        DataCopyPad(yGm[at], y, copy);
        outQueue.FreeTensor(y);
    }

    TPipe pipe;
    TQue<QuePosition::VECIN, 2> inQueue;
    TQue<QuePosition::VECOUT, 2> outQueue;
    GlobalTensor<float> xGm, yGm;
};

extern "C" __global__ __aicore__ void signed_square_list(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    SignedSquareList op;
    op.Process(x, y);
}
