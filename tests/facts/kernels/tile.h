// One tile of a product in the cube core's memories, ordered by flags: C = A B with half factors and a float sum.
#include "kernel_operator.h"
using namespace AscendC;

constexpr int32_t SIDE = 16;      // rows of a fractal, and columns of a fractal of half
constexpr int32_t FRACTAL = 256;  // elements

__aicore__ inline int32_t Blocks(int32_t length) { return (length + SIDE - 1) / SIDE; }

template <HardEvent event> __aicore__ inline void Order()
{
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

class Tile {
public:
    __aicore__ inline void Init(TPipe &pipe, int32_t maxM, int32_t maxN, int32_t maxK)
    {
        pipe.InitBuffer(bufA1, maxM * maxK * sizeof(half));
        pipe.InitBuffer(bufB1, maxK * maxN * sizeof(half));
        pipe.InitBuffer(bufA2, maxM * maxK * sizeof(half));
        pipe.InitBuffer(bufB2, maxK * maxN * sizeof(half));
        pipe.InitBuffer(bufC, maxM * maxN * sizeof(float));
        a1 = bufA1.Get<half>();
        b1 = bufB1.Get<half>();
        a2 = bufA2.Get<half>();
        b2 = bufB2.Get<half>();
        sum = bufC.Get<float>();
        SetFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
        SetFlag<HardEvent::M_MTE1>(EVENT_ID3);  // a TPipe holds the ids 0 to 2 of this event
        SetFlag<HardEvent::FIX_M>(EVENT_ID0);
    }

    __aicore__ inline void Finish()
    {
        WaitFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::M_MTE1>(EVENT_ID3);
        WaitFlag<HardEvent::FIX_M>(EVENT_ID0);
    }

    // A tile of [m, k] and one of [k, n], or of [n, k] where `byColumns`; pitches in elements. The first tile of a sum
    // waits until the sum before has been stored.
    __aicore__ inline void Multiply(const GlobalTensor<half> &a, int32_t pitchA, const GlobalTensor<half> &b,
        int32_t pitchB, bool byColumns, int32_t m, int32_t n, int32_t k, bool first)
    {
        const int32_t blocksM = Blocks(m), blocksN = Blocks(n), blocksK = Blocks(k);
        WaitFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
        if (m == 1) {  // a product of one row would take it for a plain vector: it gets fifteen rows of zeros
            InitConstValue(a1, InitConstValueParams<half>(1, blocksK * SIDE, 0, static_cast<half>(0.0f)));
            PipeBarrier<PIPE_MTE2>();
        }
        DataCopy(a1, a, Nd2NzParams(1, m, k, 0, pitchA, blocksM * SIDE, 1, 0));
        if (byColumns) {
            DataCopy(b1, b, Nd2NzParams(1, n, k, 0, pitchB, blocksN * SIDE, 1, 0));
        } else {
            DataCopy(b1, b, Nd2NzParams(1, k, n, 0, pitchB, blocksK * SIDE, 1, 0));
        }
        Order<HardEvent::MTE2_MTE1>();
        WaitFlag<HardEvent::M_MTE1>(EVENT_ID3);
        for (int32_t i = 0; i < blocksM; ++i) {
            LoadData(a2[i * blocksK * FRACTAL], a1, LoadData2DParams(i, blocksK, blocksM, 0, 0, false, 0));
        }
        if (byColumns) {
            LoadData(b2, b1, LoadData2DParams(0, blocksN * blocksK, 1, 0, 0, false, 0));
        } else {
            for (int32_t i = 0; i < blocksK; ++i) {
                LoadData(b2[i * blocksN * FRACTAL], b1, LoadData2DParams(i, blocksN, blocksK, 0, 0, true, 0));
            }
        }
        SetFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
        Order<HardEvent::MTE1_M>();
        if (first) {
            WaitFlag<HardEvent::FIX_M>(EVENT_ID0);
        } else {
            PipeBarrier<PIPE_M>();
        }
        MmadParams product;
        product.m = m == 1 ? SIDE : m;
        product.n = n;
        product.k = k;
        product.cmatrixInitVal = first;
        Mmad(sum, a2, b2, product);
        SetFlag<HardEvent::M_MTE1>(EVENT_ID3);
    }

    // Stores rows of the sum; the caller lets FIX wait for M.
    __aicore__ inline void Store(const GlobalTensor<float> &c, int32_t pitch, int32_t m, int32_t n)
    {
        FixpipeParamsV220 store;
        store.nSize = n;
        store.mSize = m;
        store.srcStride = Blocks(m) * SIDE;
        store.dstStride = pitch;
        store.quantPre = QuantMode_t::NoQuant;
        Fixpipe<float, float, CFG_ROW_MAJOR>(c, sum, store);
        SetFlag<HardEvent::FIX_M>(EVENT_ID0);
    }

private:
    TBuf<TPosition::A1> bufA1;
    TBuf<TPosition::B1> bufB1;
    TBuf<TPosition::A2> bufA2;
    TBuf<TPosition::B2> bufB2;
    TBuf<TPosition::CO1> bufC;
    LocalTensor<half> a1, b1, a2, b2;
    LocalTensor<float> sum;
};
