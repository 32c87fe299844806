// Y = gelu(A B + bias): a cube core and one vector core pass tiles through two slots of global memory, so that the cube
// core is a tile ahead.
#include "tile.h"

struct Sizes {
    int32_t m;
    int32_t n;
    int32_t k;
    int32_t reserved[5];
};

constexpr int32_t BASE_M = 32;
constexpr int32_t BASE_N = 64;
constexpr int32_t BASE_K = 64;
constexpr int32_t AREA = BASE_M * BASE_N;
constexpr uint16_t READY = 0, FREE = 2;  // and the next one for the second slot

__aicore__ inline int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; }
__aicore__ inline int32_t Parts(int32_t length, int32_t part) { return (length + part - 1) / part; }

class Epilogue {
public:
    __aicore__ inline void Init(TPipe &pipe)
    {
        pipe.InitBuffer(in, 2, AREA * sizeof(float));
        pipe.InitBuffer(out, 2, AREA * sizeof(half));
        pipe.InitBuffer(line, 1, BASE_N * sizeof(float));
        pipe.InitBuffer(work, AREA * sizeof(float));
    }

    __aicore__ inline void Load(
        const GlobalTensor<float> &from, const GlobalTensor<float> &bias, uint32_t rows, uint32_t columns)
    {
        LocalTensor<float> x = in.AllocTensor<float>(), b = line.AllocTensor<float>();
        const DataCopyPadExtParams<float> none(false, 0, 0, 0.0f);
        DataCopyPad(x, from,
            DataCopyExtParams(
                rows, columns * sizeof(float), (BASE_N - columns) * sizeof(float), 8 - (columns + 7) / 8, 0),
            none);
        DataCopyPad(b, bias, DataCopyExtParams(1, columns * sizeof(float), 0, 0, 0), none);
        in.EnQue(x);
        line.EnQue(b);
    }

    __aicore__ inline void Store(const GlobalTensor<half> &to, uint32_t rows, uint32_t columns, uint32_t pitch)
    {
        LocalTensor<float> x = in.DeQue<float>(), b = line.DeQue<float>(), y = work.Get<float>();
        LocalTensor<half> narrow = out.AllocTensor<half>();
        for (uint32_t i = 0; i < rows; ++i) {
            Add(x[i * BASE_N], x[i * BASE_N], b, columns);
        }
        for (uint32_t i = 0; i < rows; ++i) {
            Gelu(y[i * BASE_N], x[i * BASE_N], columns);
            Cast(narrow[i * BASE_N], y[i * BASE_N], RoundMode::CAST_NONE, columns);
        }
        in.FreeTensor(x);
        line.FreeTensor(b);
        out.EnQue(narrow);
        narrow = out.DeQue<half>();
        const uint32_t blocks = (columns + 15) / 16;
        DataCopyPad(to, narrow,
            DataCopyExtParams(rows, columns * sizeof(half), 4 - blocks, (pitch - columns) * sizeof(half), 0));
        out.FreeTensor(narrow);
    }

private:
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECIN, 1> line;
    TQue<TPosition::VECOUT, 2> out;
    TBuf<TPosition::VECCALC> work;
};

extern "C" __global__ __aicore__ void kernel(
    GM_ADDR sizes, GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR y, GM_ADDR slots, GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    GET_TILING_DATA_WITH_STRUCT(Sizes, size, sizes);
    TPipe pipe;
    GlobalTensor<half> gmA, gmB, gmY;
    GlobalTensor<float> gmBias, gmSlots;
    gmA.SetGlobalBuffer((__gm__ half *)a);
    gmB.SetGlobalBuffer((__gm__ half *)b);
    gmBias.SetGlobalBuffer((__gm__ float *)bias);
    gmY.SetGlobalBuffer((__gm__ half *)y);
    gmSlots.SetGlobalBuffer((__gm__ float *)slots + GetBlockIdx() * 2 * AREA, 2 * AREA);
    const int32_t across = Parts(size.n, BASE_N), tiles = Parts(size.m, BASE_M) * across;
    const int32_t ours = tiles <= GetBlockIdx() ? 0 : Parts(tiles - GetBlockIdx(), GetBlockNum());
    Tile cube;
    Epilogue vector;
    if ASCEND_IS_AIC {
        cube.Init(pipe, BASE_M, BASE_N, BASE_K);
    } else {
        vector.Init(pipe);
    }
    for (int32_t i = 0; i < ours; ++i) {
        const int32_t tile = GetBlockIdx() + i * GetBlockNum(), slot = i % 2;
        const int32_t row = tile / across * BASE_M, column = tile % across * BASE_N;
        const int32_t m = Least(BASE_M, size.m - row), n = Least(BASE_N, size.n - column);
        if ASCEND_IS_AIC {
            for (int32_t from = 0; from < size.k; from += BASE_K) {
                cube.Multiply(gmA[row * size.k + from], size.k, gmB[from * size.n + column], size.n, false, m, n,
                    Least(BASE_K, size.k - from), from == 0);
            }
            Order<HardEvent::M_FIX>();
            if (i >= 2) {
                CrossCoreWaitFlag(FREE + slot);  //@
            }
            cube.Store(gmSlots[slot * AREA], BASE_N, m, n);
            CrossCoreSetFlag<2, PIPE_FIX>(READY + slot);
        } else {
            CrossCoreWaitFlag(READY + slot);
            vector.Load(gmSlots[slot * AREA], gmBias[column], m, n);
            if (i + 2 < ours) {
                CrossCoreSetFlag<2, PIPE_MTE2>(FREE + slot);  //@
            }
            vector.Store(gmY[row * size.n + column], m, n, size.n);
        }
    }
    if ASCEND_IS_AIC {
        cube.Finish();
    }
}
