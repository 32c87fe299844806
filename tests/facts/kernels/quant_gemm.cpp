// C = (A B^T + bias) scale: factors of 8 bits, sums of 32 bits, one scale a column, results of half. B lies as [n, k].
#include "kernel_operator.h"
using namespace AscendC;

struct Sizes {
    int32_t m;
    int32_t n;
    int32_t k;
    int32_t reserved[5];
};

constexpr int32_t BASE_M = 48;
constexpr int32_t BASE_N = 64;
constexpr int32_t BASE_K = 128;
constexpr int32_t SIDE = 16;
constexpr int32_t WIDTH = 32;  // columns of a fractal of 8 bits
constexpr int32_t FRACTAL = SIDE * WIDTH;

__aicore__ inline int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; }
__aicore__ inline int32_t Parts(int32_t length, int32_t part) { return (length + part - 1) / part; }

template <HardEvent event> __aicore__ inline void Order()
{
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

extern "C" __global__ __aicore__ void kernel(
    GM_ADDR sizes, GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR scales, GM_ADDR c, GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GET_TILING_DATA_WITH_STRUCT(Sizes, size, sizes);
    TPipe pipe;
    TBuf<TPosition::A1> bufA1, bufScale;
    TBuf<TPosition::B1> bufB1;
    TBuf<TPosition::C1> bufBias1;
    TBuf<TPosition::A2> bufA2;
    TBuf<TPosition::B2> bufB2;
    TBuf<TPosition::C2> bufBias;
    TBuf<TPosition::CO1> bufSum;
    pipe.InitBuffer(bufA1, BASE_M * BASE_K);
    pipe.InitBuffer(bufScale, BASE_N * sizeof(uint64_t));
    pipe.InitBuffer(bufB1, BASE_N * BASE_K);
    pipe.InitBuffer(bufBias1, BASE_N * sizeof(int32_t));
    pipe.InitBuffer(bufA2, BASE_M * BASE_K);
    pipe.InitBuffer(bufB2, BASE_N * BASE_K);
    pipe.InitBuffer(bufBias, BASE_N * sizeof(int32_t));
    pipe.InitBuffer(bufSum, BASE_M * BASE_N * sizeof(int32_t));
    LocalTensor<int8_t> a1 = bufA1.Get<int8_t>(), b1 = bufB1.Get<int8_t>();
    LocalTensor<int8_t> a2 = bufA2.Get<int8_t>(), b2 = bufB2.Get<int8_t>();
    LocalTensor<int32_t> bias1 = bufBias1.Get<int32_t>(), table = bufBias.Get<int32_t>();
    LocalTensor<int32_t> sum = bufSum.Get<int32_t>();
    LocalTensor<uint64_t> factors = bufScale.Get<uint64_t>();
    GlobalTensor<int8_t> gmA, gmB;
    GlobalTensor<int32_t> gmBias;
    GlobalTensor<uint64_t> gmScales;
    GlobalTensor<half> gmC;
    gmA.SetGlobalBuffer((__gm__ int8_t *)a);
    gmB.SetGlobalBuffer((__gm__ int8_t *)b);
    gmBias.SetGlobalBuffer((__gm__ int32_t *)bias);
    gmScales.SetGlobalBuffer((__gm__ uint64_t *)scales);
    gmC.SetGlobalBuffer((__gm__ half *)c);

    const int32_t across = Parts(size.n, BASE_N), tiles = Parts(size.m, BASE_M) * across;
    for (int32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
        const int32_t row = tile / across * BASE_M, column = tile % across * BASE_N;
        const int32_t m = Least(BASE_M, size.m - row), n = Least(BASE_N, size.n - column);
        const int32_t blocksM = Parts(m, SIDE), blocksN = Parts(n, SIDE);
        // Bias and scales are padded to whole tiles in global memory; FIX gets the scales by way of MTE1 and M.
        DataCopy(bias1, gmBias[column], BASE_N);
        DataCopy(factors, gmScales[column], BASE_N);
        for (int32_t from = 0; from < size.k; from += BASE_K) {
            const int32_t k = Least(BASE_K, size.k - from), blocksK = Parts(k, WIDTH);
            DataCopy(a1, gmA[row * size.k + from], Nd2NzParams(1, m, k, 0, size.k, blocksM * SIDE, 1, 0));
            DataCopy(b1, gmB[column * size.k + from], Nd2NzParams(1, n, k, 0, size.k, blocksN * SIDE, 1, 0));
            Order<HardEvent::MTE2_MTE1>();
            if (from == 0) {
                DataCopy(table, bias1, BASE_N);
            }
            for (int32_t i = 0; i < blocksM; ++i) {
                LoadData(a2[i * blocksK * FRACTAL], a1, LoadData2DParams(i, blocksK, blocksM, 0, 0, false, 0));
            }
            LoadData(b2, b1, LoadData2DParams(0, blocksN * blocksK, 1, 0, 0, false, 0));
            Order<HardEvent::MTE1_MTE2>();
            Order<HardEvent::MTE1_M>();
            if (from == 0) {
                Mmad(sum, a2, b2, table, MmadParams(m, n, k, 0, true, false));
            } else {
                Mmad(sum, a2, b2, MmadParams(m, n, k, 0, false, false));
            }
            PipeBarrier<PIPE_M>();
            SetFlag<HardEvent::M_MTE1>(EVENT_ID3);
            WaitFlag<HardEvent::M_MTE1>(EVENT_ID3);
        }
        Order<HardEvent::M_FIX>();
        FixpipeParamsV220 store;
        store.nSize = n;
        store.mSize = m;
        store.srcStride = blocksM * SIDE;
        store.dstStride = size.n;
        store.quantPre = QuantMode_t::VDEQF16;
        Fixpipe<half, int32_t, CFG_ROW_MAJOR>(gmC[row * size.n + column], sum, factors, store);
        Order<HardEvent::FIX_M>();
        Order<HardEvent::FIX_MTE2>();  //@
    }
}
