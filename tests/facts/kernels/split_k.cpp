// C = A B with K split over the cube cores, which add their parts in global memory; the vector cores clear C before.
#include "tile.h"

struct Sizes {
    int32_t m;
    int32_t n;
    int32_t k;
    int32_t reserved[5];
};

constexpr int32_t BASE_K = 64;

extern "C" __global__ __aicore__ void kernel(GM_ADDR sizes, GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA_WITH_STRUCT(Sizes, size, sizes);
    TPipe pipe;
    GlobalTensor<half> gmA;
    GlobalTensor<half> gmB;
    GlobalTensor<float> gmC;
    gmA.SetGlobalBuffer((__gm__ half *)a);
    gmB.SetGlobalBuffer((__gm__ half *)b);
    gmC.SetGlobalBuffer((__gm__ float *)c);
    if ASCEND_IS_AIV {
        const int32_t all = size.m * size.n;
        const int32_t cores = GetBlockNum() * GetSubBlockNum();
        const int32_t part = (all + cores - 1) / cores;
        const int32_t from = part * GetBlockIdx();
        if (from < all) {
            InitOutput<float>(gmC[from], all - from < part ? all - from : part, 0.0f);
        }
        PipeBarrier<PIPE_ALL>();
    }
    SyncAll<false>();  //@
    if ASCEND_IS_AIC {
        Tile tile;
        tile.Init(pipe, 64, 64, BASE_K);
        bool first = true;
        for (int32_t from = GetBlockIdx() * BASE_K; from < size.k; from += GetBlockNum() * BASE_K) {
            const int32_t k = size.k - from < BASE_K ? size.k - from : BASE_K;
            tile.Multiply(gmA[from], size.k, gmB[from * size.n], size.n, false, size.m, size.n, k, first);
            first = false;
        }
        if (!first) {
            Order<HardEvent::M_FIX>();
            SetAtomicAdd<float>();
            tile.Store(gmC, size.n, size.m, size.n);
            SetAtomicNone();
        }
        tile.Finish();
    }
}
