#include "kernel_operator.h"
using namespace AscendC;

// What one product takes: A of 128 x 64 and B of 64 x 128 stand in L0A and L0B twice, their sum in L0C.
constexpr uint32_t TILE_M = 128, TILE_N = 128, TILE_K = 64;
constexpr uint32_t SQUARE = 16;  // a fractal of half is 16 x 16

__aicore__ inline uint32_t RoundUp(uint32_t value) { return (value + SQUARE - 1) / SQUARE * SQUARE; }
__aicore__ inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }

class KernelMatmul {
public:
    __aicore__ inline void Init(TPipe* pipe, GM_ADDR a, GM_ADDR b, GM_ADDR c, uint32_t rows, uint32_t inner, uint32_t cols)
    {
        m = rows, k = inner, n = cols;
        aGm.SetGlobalBuffer((__gm__ half*)a, static_cast<uint64_t>(m) * k);
        bGm.SetGlobalBuffer((__gm__ half*)b, static_cast<uint64_t>(k) * n);
        cGm.SetGlobalBuffer((__gm__ float*)c, static_cast<uint64_t>(m) * n);
        pipe->InitBuffer(a1Que, 2, TILE_M * TILE_K * sizeof(half));
        pipe->InitBuffer(b1Que, 2, TILE_K * TILE_N * sizeof(half));
        pipe->InitBuffer(a2Que, 2, TILE_M * TILE_K * sizeof(half));
        pipe->InitBuffer(b2Que, 2, TILE_K * TILE_N * sizeof(half));
        pipe->InitBuffer(cQue, 1, TILE_M * TILE_N * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        const uint32_t down = (m + TILE_M - 1) / TILE_M, across = (n + TILE_N - 1) / TILE_N;
        for (uint32_t tile = GetBlockIdx(); tile < down * across; tile += GetBlockNum()) {
            row = tile % down * TILE_M, col = tile / down * TILE_N;
            tileM = Least(TILE_M, m - row), tileN = Least(TILE_N, n - col);
            Product();
        }
    }

private:
    __aicore__ inline void Product()
    {
        LocalTensor<float> sum = cQue.AllocTensor<float>();
        for (uint32_t depth = 0; depth < k; depth += TILE_K) {
            tileK = Least(TILE_K, k - depth);
            CopyIn(depth);
            Load();
            Multiply(sum, depth == 0);
        }
        cQue.EnQue(sum);
        CopyOut();
    }

    // Rows of global memory become fractals in L1; what a tail leaves of its last fractals holds anything.
    __aicore__ inline void CopyIn(uint32_t depth)
    {
        LocalTensor<half> a1 = a1Que.AllocTensor<half>(), b1 = b1Que.AllocTensor<half>();
        DataCopy(a1, aGm[static_cast<uint64_t>(row) * k + depth],
                 Nd2NzParams(1, tileM, tileK, 0, k, RoundUp(tileM), 1, 0));
        DataCopy(b1, bGm[static_cast<uint64_t>(depth) * n + col],
                 Nd2NzParams(1, tileK, tileN, 0, n, RoundUp(tileK), 1, 0));
        a1Que.EnQue(a1);
        b1Que.EnQue(b1);
    }

    // In L1 fractals stand in columns. L0A wants rows of them, L0B rows of transposed ones.
    __aicore__ inline void Load()
    {
        const uint32_t mBlocks = RoundUp(tileM) / SQUARE, nBlocks = RoundUp(tileN) / SQUARE, kBlocks = RoundUp(tileK) / SQUARE;
        LocalTensor<half> a1 = a1Que.DeQue<half>(), b1 = b1Que.DeQue<half>();
        LocalTensor<half> a2 = a2Que.AllocTensor<half>(), b2 = b2Que.AllocTensor<half>();
        LoadData2DParams params;
        params.repeatTimes = kBlocks;
        params.srcStride = mBlocks;
        params.ifTranspose = false;
        for (uint32_t i = 0; i < mBlocks; ++i) {
            LoadData(a2[i * kBlocks * SQUARE * SQUARE], a1[i * SQUARE * SQUARE], params);
        }
        params.repeatTimes = nBlocks;
        params.srcStride = kBlocks;
        params.ifTranspose = true;
        for (uint32_t i = 0; i < kBlocks; ++i) {
            LoadData(b2[i * nBlocks * SQUARE * SQUARE], b1[i * SQUARE * SQUARE], params);
        }
        a2Que.EnQue(a2);
        b2Que.EnQue(b2);
        a1Que.FreeTensor(a1);
        b1Que.FreeTensor(b1);
    }

    __aicore__ inline void Multiply(const LocalTensor<float>& sum, bool first)
    {
        LocalTensor<half> a2 = a2Que.DeQue<half>(), b2 = b2Que.DeQue<half>();
        MmadParams params;
        params.m = tileM == 1 ? SQUARE : tileM;  // one row would be taken for a vector, whose layout is another
        params.n = tileN;
        params.k = tileK;
        params.cmatrixInitVal = first;
        Mmad(sum, a2, b2, params);
        if (tileM * tileN < 10 * SQUARE * SQUARE) {
            PipeBarrier<PIPE_M>();  // the next product adds to a result that is still on its way
        }
        a2Que.FreeTensor(a2);
        b2Que.FreeTensor(b2);
    }

    __aicore__ inline void CopyOut()
    {
        LocalTensor<float> sum = cQue.DeQue<float>();
        FixpipeParamsV220 params;
        params.nSize = tileN;
        params.mSize = tileM;
        params.srcStride = RoundUp(tileM);
        params.dstStride = n;
        params.ndNum = 1;
        Fixpipe(cGm[static_cast<uint64_t>(row) * n + col], sum, params);
        cQue.FreeTensor(sum);
    }

    TQue<TPosition::A1, 1> a1Que;
    TQue<TPosition::B1, 1> b1Que;
    TQue<TPosition::A2, 1> a2Que;
    TQue<TPosition::B2, 1> b2Que;
    TQue<TPosition::CO1, 1> cQue;
    GlobalTensor<half> aGm, bGm;
    GlobalTensor<float> cGm;
    uint32_t m = 0, k = 0, n = 0, row = 0, col = 0, tileM = 0, tileN = 0, tileK = 0;
};

extern "C" __global__ __aicore__ void matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GET_TILING_DATA_WITH_STRUCT(TilingData, t, tiling);
    TPipe pipe;
    KernelMatmul op;
    op.Init(&pipe, a, b, c, t.m, t.k, t.n);
    op.Process();
}
