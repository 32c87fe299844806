// y = A x: a product of one row, which the cube core takes as a plain vector; cube cores share the rows of A.
#include "kernel_operator.h"
using namespace AscendC;

struct Sizes {
    int32_t n;
    int32_t k;
    int32_t reserved[6];
};

constexpr int32_t BASE_N = 64;
constexpr int32_t BASE_K = 256;  // the elements of half in 512 bytes, where vectors start in L0A
constexpr int32_t SIDE = 16;

extern "C" __global__ __aicore__ void kernel(GM_ADDR sizes, GM_ADDR x, GM_ADDR a, GM_ADDR y, GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GET_TILING_DATA_WITH_STRUCT(Sizes, size, sizes);
    const int32_t wholeK = (size.k + BASE_K - 1) / BASE_K * BASE_K;
    TPipe pipe;
    TBuf<TPosition::A1> bufX1;
    TBuf<TPosition::B1> bufA1;
    TBuf<TPosition::A2> bufX2;
    TBuf<TPosition::B2> bufA2;
    TBuf<TPosition::CO1> bufY;
    pipe.InitBuffer(bufX1, wholeK * sizeof(half));
    pipe.InitBuffer(bufA1, BASE_N * BASE_K * sizeof(half));
    pipe.InitBuffer(bufX2, BASE_K * sizeof(half));
    pipe.InitBuffer(bufA2, BASE_N * BASE_K * sizeof(half));
    pipe.InitBuffer(bufY, SIDE * BASE_N * sizeof(float));
    LocalTensor<half> x1 = bufX1.Get<half>(), a1 = bufA1.Get<half>();
    LocalTensor<half> x2 = bufX2.Get<half>(), a2 = bufA2.Get<half>();
    LocalTensor<float> sum = bufY.Get<float>();
    GlobalTensor<half> gmX;
    GlobalTensor<half> gmA;
    GlobalTensor<float> gmY;
    gmX.SetGlobalBuffer((__gm__ half *)x);
    gmA.SetGlobalBuffer((__gm__ half *)a);
    gmY.SetGlobalBuffer((__gm__ float *)y);

    InitConstValue(x1, InitConstValueParams<half>(1, wholeK / SIDE, 0, static_cast<half>(0.0f)));
    PipeBarrier<PIPE_MTE2>();
    DataCopy(x1, gmX, Nd2NzParams(1, 1, size.k, 0, size.k, 1, 1, 0));
    SetFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
    SetFlag<HardEvent::M_MTE1>(EVENT_ID3);
    SetFlag<HardEvent::FIX_M>(EVENT_ID0);
    for (int32_t row = GetBlockIdx() * BASE_N; row < size.n; row += GetBlockNum() * BASE_N) {
        const int32_t n = size.n - row < BASE_N ? size.n - row : BASE_N;
        const int32_t blocksN = (n + SIDE - 1) / SIDE;
        WaitFlag<HardEvent::FIX_M>(EVENT_ID0);
        for (int32_t from = 0; from < size.k; from += BASE_K) {
            const int32_t k = size.k - from < BASE_K ? size.k - from : BASE_K;
            const int32_t blocksK = (k + SIDE - 1) / SIDE;
            WaitFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
            DataCopy(a1, gmA[row * size.k + from], Nd2NzParams(1, n, k, 0, size.k, blocksN * SIDE, 1, 0));
            SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);   //@
            WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);  //@
            WaitFlag<HardEvent::M_MTE1>(EVENT_ID3);
            LoadData(x2, x1[from], LoadData2DParams(0, 1, 1, 0, 0, false, 0));
            LoadData(a2, a1, LoadData2DParams(0, blocksN * blocksK, 1, 0, 0, false, 0));
            SetFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
            SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
            WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
            Mmad(sum, x2, a2, MmadParams(1, n, k, 0, false, from == 0));
            PipeBarrier<PIPE_M>();
            SetFlag<HardEvent::M_MTE1>(EVENT_ID3);
        }
        SetFlag<HardEvent::M_FIX>(EVENT_ID0);
        WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
        FixpipeParamsV220 store;
        store.nSize = n;
        store.mSize = 1;
        store.srcStride = SIDE;
        store.dstStride = size.n;
        Fixpipe<float, float, CFG_ROW_MAJOR>(gmY[row], sum, store);
        SetFlag<HardEvent::FIX_M>(EVENT_ID0);
    }
    WaitFlag<HardEvent::MTE1_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::M_MTE1>(EVENT_ID3);
    WaitFlag<HardEvent::FIX_M>(EVENT_ID0);
}
