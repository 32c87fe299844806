#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t TILE = 2048;                          // a multiple of 64, see below
constexpr uint32_t PER_BLOCK = 32 / sizeof(float);
constexpr uint32_t PER_REPEAT = 256 / sizeof(float);     // Compare works on whole 256 B

class KernelChoose {
public:
    __aicore__ inline void Init(TPipe* pipe, GM_ADDR a, GM_ADDR b, GM_ADDR p, GM_ADDR q, GM_ADDR y, uint32_t total)
    {
        const uint32_t cores = static_cast<uint32_t>(GetBlockNum());
        const uint32_t share = (total + cores * PER_BLOCK - 1) / (cores * PER_BLOCK) * PER_BLOCK;
        const uint32_t begin = share * static_cast<uint32_t>(GetBlockIdx());
        length = begin < total ? (total - begin < share ? total - begin : share) : 0;
        if (length == 0) {
            return;
        }
        aGm.SetGlobalBuffer((__gm__ float*)a + begin, length);
        bGm.SetGlobalBuffer((__gm__ float*)b + begin, length);
        pGm.SetGlobalBuffer((__gm__ float*)p + begin, length);
        qGm.SetGlobalBuffer((__gm__ float*)q + begin, length);
        yGm.SetGlobalBuffer((__gm__ float*)y + begin, length);
        pipe->InitBuffer(aQue, 2, TILE * sizeof(float));
        pipe->InitBuffer(bQue, 2, TILE * sizeof(float));
        pipe->InitBuffer(pQue, 2, TILE * sizeof(float));
        pipe->InitBuffer(qQue, 2, TILE * sizeof(float));
        pipe->InitBuffer(yQue, 2, TILE * sizeof(float));
        pipe->InitBuffer(bitBuf, TILE / 8);
    }

    __aicore__ inline void Process()
    {
        for (uint32_t done = 0; done < length; done += TILE) {
            const uint32_t count = length - done < TILE ? length - done : TILE;
            CopyIn(aQue, aGm, done, count);
            CopyIn(bQue, bGm, done, count);
            CopyIn(pQue, pGm, done, count);
            CopyIn(qQue, qGm, done, count);
            Compute(count);
            CopyOut(done, count);
        }
    }

private:
    __aicore__ inline void CopyIn(TQue<QuePosition::VECIN, 1>& que, GlobalTensor<float>& gm, uint32_t offset, uint32_t count)
    {
        LocalTensor<float> x = que.AllocTensor<float>();
        // the whole tile is computed on, so what the copy does not reach gets a value first
        const uint32_t full = (count + PER_REPEAT - 1) / PER_REPEAT * PER_REPEAT;
        if (full != count) {
            Duplicate(x, 0.0f, static_cast<int32_t>(full));
            const int32_t id = static_cast<int32_t>(GetTPipePtr()->FetchEventID(HardEvent::V_MTE2));
            SetFlag<HardEvent::V_MTE2>(id);
            WaitFlag<HardEvent::V_MTE2>(id);
        }
        DataCopyPad(x, gm[offset], DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0},
                    DataCopyPadExtParams<float>{false, 0, 0, 0.0f});
        que.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t count)
    {
        const uint32_t full = (count + PER_REPEAT - 1) / PER_REPEAT * PER_REPEAT;
        LocalTensor<float> a = aQue.DeQue<float>();
        LocalTensor<float> b = bQue.DeQue<float>();
        LocalTensor<float> p = pQue.DeQue<float>();
        LocalTensor<float> q = qQue.DeQue<float>();
        LocalTensor<float> y = yQue.AllocTensor<float>();
        LocalTensor<uint8_t> bits = bitBuf.Get<uint8_t>();
        Compare(bits, a, b, CMPMODE::LT, full);
        Select(y, bits, p, q, SELMODE::VSEL_TENSOR_TENSOR_MODE, full);   // bit 1 takes p
        yQue.EnQue(y);
        aQue.FreeTensor(a);
        bQue.FreeTensor(b);
        pQue.FreeTensor(p);
        qQue.FreeTensor(q);
    }

    __aicore__ inline void CopyOut(uint32_t offset, uint32_t count)
    {
        LocalTensor<float> y = yQue.DeQue<float>();
        DataCopyPad(yGm[offset], y, DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
        yQue.FreeTensor(y);
    }

    TQue<QuePosition::VECIN, 1> aQue, bQue, pQue, qQue;
    TQue<QuePosition::VECOUT, 1> yQue;
    TBuf<QuePosition::VECCALC> bitBuf;
    GlobalTensor<float> aGm, bGm, pGm, qGm, yGm;
    uint32_t length = 0;
};

extern "C" __global__ __aicore__ void choose_less(GM_ADDR a, GM_ADDR b, GM_ADDR p, GM_ADDR q, GM_ADDR y, GM_ADDR workspace,
                                                  GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA_WITH_STRUCT(TilingData, t, tiling);
    TPipe pipe;
    KernelChoose op;
    op.Init(&pipe, a, b, p, q, y, t.n);
    op.Process();
}
