// C = op(A) op(B) + bias for a batch of matrices of any size: half factors, float sums and results.
//
// Cube cores take tiles of C in turn. Every pipe gets its data from a queue, so that the queues order the pipes; sums
// over K stay in L0C. op(X) is X or its transpose: rows in global memory become fractals in L1 as they lie, and LoadData
// transposes the fractals where a factor lies the other way round.
#include "kernel_operator.h"
using namespace AscendC;

struct GemmShape {
    int32_t batch;
    int32_t m;
    int32_t n;
    int32_t k;
    int32_t transposeA;  // A lies as [k, m]
    int32_t transposeB;  // B lies as [n, k]
    int32_t biased;
    int32_t reserved;
};

constexpr int32_t BASE_M = 64;
constexpr int32_t BASE_N = 48;
constexpr int32_t BASE_K = 64;
constexpr int32_t SIDE = 16;      // rows of a fractal, and columns of a fractal of half
constexpr int32_t FRACTAL = 256;  // elements

__aicore__ inline int32_t Blocks(int32_t length) { return (length + SIDE - 1) / SIDE; }

class Gemm {
public:
    __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, const GemmShape &given)
    {
        shape = given;
        gmA.SetGlobalBuffer((__gm__ half *)a);
        gmB.SetGlobalBuffer((__gm__ half *)b);
        gmBias.SetGlobalBuffer((__gm__ float *)bias);
        gmC.SetGlobalBuffer((__gm__ float *)c);
        pipe.InitBuffer(queA1, 2, BASE_M * BASE_K * sizeof(half));
        pipe.InitBuffer(queB1, 2, BASE_K * BASE_N * sizeof(half));
        pipe.InitBuffer(queC1, 1, BASE_N * sizeof(float));
        pipe.InitBuffer(queA2, 2, BASE_M * BASE_K * sizeof(half));
        pipe.InitBuffer(queB2, 2, BASE_K * BASE_N * sizeof(half));
        pipe.InitBuffer(queC2, 1, BASE_N * sizeof(float));
        pipe.InitBuffer(queCO1, 1, BASE_M * BASE_N * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        const int32_t across = (shape.n + BASE_N - 1) / BASE_N;
        const int32_t down = (shape.m + BASE_M - 1) / BASE_M;
        const int32_t tiles = shape.batch * down * across;
        for (int32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
            Tile(tile / (down * across), tile / across % down * BASE_M, tile % across * BASE_N);
        }
    }

private:
    __aicore__ inline void Tile(int32_t batch, int32_t fromM, int32_t fromN)
    {
        m = shape.m - fromM < BASE_M ? shape.m - fromM : BASE_M;
        n = shape.n - fromN < BASE_N ? shape.n - fromN : BASE_N;
        LocalTensor<float> sum = queCO1.AllocTensor<float>();
        LocalTensor<float> bias;
        if (shape.biased) {
            LoadBias(fromN);
            bias = queC2.DeQue<float>();
        }
        for (int32_t fromK = 0; fromK < shape.k; fromK += BASE_K) {
            k = shape.k - fromK < BASE_K ? shape.k - fromK : BASE_K;
            CopyIn(batch, fromM, fromN, fromK);
            Load();
            Multiply(sum, bias, fromK == 0);
        }
        if (shape.biased) {
            queC2.FreeTensor(bias);
        }
        queCO1.EnQue(sum);
        Store((batch * shape.m + fromM) * shape.n + fromN);
    }

    __aicore__ inline void LoadBias(int32_t fromN)
    {
        LocalTensor<float> line = queC1.AllocTensor<float>();
        InitConstValue(line, InitConstValueParams<float>(1, BASE_N * sizeof(float) / 32, 0, 0.0f));
        PipeBarrier<PIPE_MTE2>();
        DataCopy(line, gmBias[fromN], Nd2NzParams(1, 1, n, 0, n, 1, 1, 0));  // one row: any number of elements
        queC1.EnQue(line);
        line = queC1.DeQue<float>();
        LocalTensor<float> table = queC2.AllocTensor<float>();
        DataCopy(table, line, BASE_N);
        queC2.EnQue(table);
        queC1.FreeTensor(line);
    }

    __aicore__ inline void CopyIn(int32_t batch, int32_t fromM, int32_t fromN, int32_t fromK)
    {
        const GlobalTensor<half> a = gmA[batch * shape.m * shape.k];
        const GlobalTensor<half> b = gmB[batch * shape.k * shape.n];
        LocalTensor<half> a1 = queA1.AllocTensor<half>();
        LocalTensor<half> b1 = queB1.AllocTensor<half>();
        if (m == 1) {  // a product of one row would take it for a plain vector: it gets fifteen rows of zeros
            InitConstValue(a1, InitConstValueParams<half>(1, Blocks(k) * SIDE, 0, static_cast<half>(0.0f)));
            PipeBarrier<PIPE_MTE2>();
        }
        if (shape.transposeA) {
            CopyRows(a1, a[fromK * shape.m + fromM], k, m, shape.m);
        } else {
            CopyRows(a1, a[fromM * shape.k + fromK], m, k, shape.k);
        }
        if (shape.transposeB) {
            CopyRows(b1, b[fromN * shape.k + fromK], n, k, shape.k);
        } else {
            CopyRows(b1, b[fromK * shape.n + fromN], k, n, shape.n);
        }
        queA1.EnQue(a1);
        queB1.EnQue(b1);
    }

    __aicore__ inline void CopyRows(
        const LocalTensor<half> &to, const GlobalTensor<half> &from, int32_t rows, int32_t columns, int32_t pitch)
    {
        DataCopy(to, from, Nd2NzParams(1, rows, columns, 0, pitch, Blocks(rows) * SIDE, 1, 0));
    }

    __aicore__ inline void Load()
    {
        LocalTensor<half> a1 = queA1.DeQue<half>();
        LocalTensor<half> b1 = queB1.DeQue<half>();
        LocalTensor<half> a2 = queA2.AllocTensor<half>();
        LocalTensor<half> b2 = queB2.AllocTensor<half>();
        const int32_t blocksM = Blocks(m), blocksN = Blocks(n), blocksK = Blocks(k);
        if (shape.transposeA) {  // L1 has fractals of [k, m] by columns: in L0A's order, but each of them transposed
            LoadData(a2, a1, LoadData2DParams(0, blocksM * blocksK, 1, 0, 0, true, 0));
        } else {
            for (int32_t i = 0; i < blocksM; ++i) {
                LoadData(a2[i * blocksK * FRACTAL], a1, LoadData2DParams(i, blocksK, blocksM, 0, 0, false, 0));
            }
        }
        if (shape.transposeB) {  // L1 has fractals of [n, k] by columns: as L0B wants them
            LoadData(b2, b1, LoadData2DParams(0, blocksN * blocksK, 1, 0, 0, false, 0));
        } else {
            for (int32_t i = 0; i < blocksK; ++i) {
                LoadData(b2[i * blocksN * FRACTAL], b1, LoadData2DParams(i, blocksN, blocksK, 0, 0, true, 0));
            }
        }
        queA2.EnQue(a2);
        queB2.EnQue(b2);
        queA1.FreeTensor(a1);
        queB1.FreeTensor(b1);
    }

    __aicore__ inline void Multiply(const LocalTensor<float> &sum, const LocalTensor<float> &bias, bool first)
    {
        LocalTensor<half> a2 = queA2.DeQue<half>();
        LocalTensor<half> b2 = queB2.DeQue<half>();
        MmadParams product;
        product.m = m == 1 ? SIDE : m;
        product.n = n;
        product.k = k;
        product.cmatrixInitVal = first && !shape.biased;
        product.cmatrixSource = first && shape.biased;
        if (first && shape.biased) {
            Mmad(sum, a2, b2, bias, product);
        } else {
            Mmad(sum, a2, b2, product);
        }
        // Products of fewer than ten fractals into one sum are not ordered by the hardware.
        PipeBarrier<PIPE_M>();  //@
        queA2.FreeTensor(a2);
        queB2.FreeTensor(b2);
    }

    __aicore__ inline void Store(int64_t at)
    {
        LocalTensor<float> sum = queCO1.DeQue<float>();
        FixpipeParamsV220 store;
        store.nSize = n;
        store.mSize = m;
        store.srcStride = Blocks(m) * SIDE;
        store.dstStride = shape.n;
        store.quantPre = QuantMode_t::NoQuant;
        Fixpipe<float, float, CFG_ROW_MAJOR>(gmC[at], sum, store);
        queCO1.FreeTensor(sum);
    }

    TPipe pipe;
    TQue<TPosition::A1, 1> queA1;
    TQue<TPosition::B1, 1> queB1;
    TQue<TPosition::C1, 1> queC1;
    TQue<TPosition::A2, 1> queA2;
    TQue<TPosition::B2, 1> queB2;
    TQue<TPosition::C2, 1> queC2;
    TQue<TPosition::CO1, 1> queCO1;
    GlobalTensor<half> gmA;
    GlobalTensor<half> gmB;
    GlobalTensor<float> gmBias;
    GlobalTensor<float> gmC;
    GemmShape shape;
    int32_t m;
    int32_t n;
    int32_t k;
};

extern "C" __global__ __aicore__ void kernel(
    GM_ADDR shape, GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GET_TILING_DATA_WITH_STRUCT(GemmShape, given, shape);
    Gemm gemm;
    gemm.Init(a, b, bias, c, given);
    gemm.Process();
}
