#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

constexpr int32_t BASE_M = 128, BASE_N = 128, BASE_K = 64;  // one product; twice in L0A and L0B, its sum twice in L0C
constexpr uint32_t CHUNK = 8192;                            // numbers that Relu works on at a time

using MatrixA = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using MatrixB = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using MatrixC = MatmulType<TPosition::GM, CubeFormat::ND, float>;

class KernelMatmulRelu {
public:
    __aicore__ inline void Init(TPipe* pipe, GM_ADDR a, GM_ADDR b, GM_ADDR y, const TCubeTiling& t)
    {
        n = t.N, k = t.Ka;
        first = GetBlockIdx() * t.singleCoreM;
        rows = t.M - first < t.singleCoreM ? t.M - first : t.singleCoreM;
        aGm.SetGlobalBuffer((__gm__ half*)a, static_cast<uint64_t>(t.M) * k);
        bGm.SetGlobalBuffer((__gm__ half*)b, static_cast<uint64_t>(k) * n);
        yGm.SetGlobalBuffer((__gm__ float*)y, static_cast<uint64_t>(t.M) * n);
        pipe->InitBuffer(inQue, 2, CHUNK * sizeof(float));
        pipe->InitBuffer(outQue, 2, CHUNK * sizeof(float));
    }

    __aicore__ inline void Process()
    {
        if (rows <= 0) return;
        const uint64_t begin = static_cast<uint64_t>(first) * n;
        mm.SetTensorA(aGm[static_cast<uint64_t>(first) * k]);
        mm.SetTensorB(bGm);
        mm.SetTail(rows);
        mm.IterateAll(yGm[begin]);  // comes back when the cube core has stored these rows
        mm.End();
        const uint64_t total = static_cast<uint64_t>(rows) * n;
        for (uint64_t at = 0; at < total; at += CHUNK) {
            Activate(begin + at, total - at < CHUNK ? static_cast<uint32_t>(total - at) : CHUNK);
        }
    }

    Matmul<MatrixA, MatrixB, MatrixC> mm;

private:
    __aicore__ inline void Activate(uint64_t at, uint32_t count)
    {
        const DataCopyExtParams bytes(1, count * sizeof(float), 0, 0, 0);
        LocalTensor<float> x = inQue.AllocTensor<float>();
        DataCopyPad(x, yGm[at], bytes, DataCopyPadExtParams<float>());
        inQue.EnQue(x);
        x = inQue.DeQue<float>();
        LocalTensor<float> z = outQue.AllocTensor<float>();
        Relu(z, x, count);
        inQue.FreeTensor(x);
        outQue.EnQue(z);
        z = outQue.DeQue<float>();
        DataCopyPad(yGm[at], z, bytes);
        outQue.FreeTensor(z);
    }

    TQue<TPosition::VECIN, 1> inQue;
    TQue<TPosition::VECOUT, 1> outQue;
    GlobalTensor<half> aGm, bGm;
    GlobalTensor<float> yGm;
    int32_t n = 0, k = 0, first = 0, rows = 0;
};

// What MatmulApiTiling would find on the host: parts of two steps in L1, each twice.
__aicore__ inline TCubeTiling MakeTiling(int32_t m, int32_t k, int32_t n, int32_t cores)
{
    TCubeTiling t;
    t.usedCoreNum = cores, t.M = m, t.N = n, t.Ka = k, t.Kb = k;
    t.singleCoreM = (m + cores - 1) / cores, t.singleCoreN = n, t.singleCoreK = k;
    t.baseM = BASE_M, t.baseN = BASE_N, t.baseK = BASE_K;
    t.stepM = 1, t.stepN = 1, t.stepKa = 2, t.stepKb = 2, t.depthA1 = 4, t.depthB1 = 4;
    t.dbL0A = 2, t.dbL0B = 2, t.dbL0C = 2;
    return t;
}

extern "C" __global__ __aicore__ void matmul_relu(GM_ADDR a, GM_ADDR b, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA_WITH_STRUCT(TilingData, t, tiling);
    SetSysWorkspace(workspace);
    TPipe pipe;
    const TCubeTiling cube = MakeTiling(t.m, t.k, t.n, GetBlockNum() * 2);
    KernelMatmulRelu op;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.mm, &cube);  // a cube core serves its vector cores and ends here
    op.Init(&pipe, a, b, y, cube);
    op.Process();
}
