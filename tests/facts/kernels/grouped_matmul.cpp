// C = A_g B_g for groups of rows of A, each with its own B: the list says how many rows each group has.
#include "tile.h"

struct Sizes {
    int32_t groups;
    int32_t n;
    int32_t k;
    int32_t reserved[5];
};

constexpr int32_t BASE_M = 32;
constexpr int32_t BASE_N = 64;
constexpr int32_t BASE_K = 64;

__aicore__ inline int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; }

extern "C" __global__ __aicore__ void kernel(
    GM_ADDR sizes, GM_ADDR list, GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    GET_TILING_DATA_WITH_STRUCT(Sizes, size, sizes);
    TPipe pipe;
    GlobalTensor<int32_t> rows;
    GlobalTensor<half> gmA;
    GlobalTensor<half> gmB;
    GlobalTensor<float> gmC;
    rows.SetGlobalBuffer((__gm__ int32_t *)list);
    gmA.SetGlobalBuffer((__gm__ half *)a);
    gmB.SetGlobalBuffer((__gm__ half *)b);
    gmC.SetGlobalBuffer((__gm__ float *)c);
    Tile tile;
    tile.Init(pipe, BASE_M, BASE_N, BASE_K);
    int32_t turn = 0;
    int32_t top = 0;
    for (int32_t group = 0; group < size.groups; ++group) {
        const int32_t bottom = top + rows.GetValue(group);
        for (int32_t row = top; row < bottom; row += BASE_M) {
            for (int32_t column = 0; column < size.n; column += BASE_N) {
                if (turn++ % GetBlockNum() != GetBlockIdx()) {
                    continue;
                }
                const int32_t m = Least(BASE_M, bottom - row), n = Least(BASE_N, size.n - column);
                for (int32_t from = 0; from < size.k; from += BASE_K) {
                    tile.Multiply(gmA[row * size.k + from], size.k, gmB[(group * size.k + from) * size.n + column],
                        size.n, false, m, n, Least(BASE_K, size.k - from), from == 0);
                }
                Order<HardEvent::M_FIX>();  //@
                tile.Store(gmC[row * size.n + column], size.n, m, n);
            }
        }
        top = bottom;
    }
    tile.Finish();
}
