// O = softmax(Q K^T / sqrt(D)) V by heads, in tiles: the cube core multiplies, its two vector cores keep the running
// maximum, sum and result of sixteen rows each. Products and weights pass through global memory.
#include "tile.h"

struct Sizes {
    int32_t heads;
    int32_t queries;
    int32_t keys;
    int32_t causal;  // the last query sees all keys, each one before it one key less
    int32_t reserved[4];
};

constexpr int32_t DEPTH = 64;
constexpr int32_t ROWS = 32;   // queries of a tile
constexpr int32_t HALF_ROWS = ROWS / 2;
constexpr int32_t WIDTH = 64;  // keys of a tile
constexpr int32_t AREA = ROWS * WIDTH;
constexpr uint16_t SCORES_READY = 0, WEIGHTS_READY = 1, PRODUCT_READY = 2;

__aicore__ inline int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; }

class Rows {
public:
    __aicore__ inline void Init(TPipe &pipe)
    {
        pipe.InitBuffer(buf, (4 * HALF_ROWS * WIDTH + 3 * HALF_ROWS * 8 + 5 * HALF_ROWS) * sizeof(float));
        scores = Take<float>(HALF_ROWS * WIDTH);
        product = Take<float>(HALF_ROWS * WIDTH);
        result = Take<float>(HALF_ROWS * WIDTH);
        weights = Take<half>(HALF_ROWS * WIDTH);
        narrow = Take<half>(HALF_ROWS * WIDTH);
        spread = Take<float>(HALF_ROWS * 8);
        spreadFactor = Take<float>(HALF_ROWS * 8);
        spreadSum = Take<float>(HALF_ROWS * 8);
        largest = Take<float>(HALF_ROWS);
        newLargest = Take<float>(HALF_ROWS);
        total = Take<float>(HALF_ROWS);
        part = Take<float>(HALF_ROWS);
        factor = Take<float>(HALF_ROWS);
        Duplicate(newLargest, 0.0f, HALF_ROWS);
        Duplicate(factor, 0.0f, HALF_ROWS);
        SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
        SetFlag<HardEvent::V_MTE2>(EVENT_ID1);
        SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
        SetFlag<HardEvent::MTE3_V>(EVENT_ID1);
    }

    __aicore__ inline void Finish()
    {
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID1);
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID1);
    }

    __aicore__ inline void Clear()
    {
        Duplicate(largest, -3.0e38f, HALF_ROWS);
        Duplicate(total, 0.0f, HALF_ROWS);
        Duplicate(result, 0.0f, HALF_ROWS * DEPTH);
    }

    // Scores of `rows` rows and `keys` keys become weights; the sums so far are scaled to the new maximum. The first row
    // sees `open` keys of the tile, each following one a key more.
    __aicore__ inline void Weigh(
        const GlobalTensor<float> &from, const GlobalTensor<half> &to, int32_t rows, uint64_t keys, int32_t open)
    {
        const uint32_t floats = (keys + 7) / 8, halves = (keys + 15) / 16;
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
        DataCopyPad(scores, from,
            DataCopyExtParams(rows, keys * sizeof(float), (WIDTH - keys) * sizeof(float), 8 - floats, 0),
            DataCopyPadExtParams<float>(false, 0, 0, 0.0f));
        Order<HardEvent::MTE2_V>();
        Muls(scores, scores, 0.125f, keys, rows, {1, 1, 8, 8});
        for (int32_t i = 0; i < rows && open + i < static_cast<int32_t>(keys); ++i) {
            const uint64_t all = ~static_cast<uint64_t>(0);
            uint64_t hidden[2] = {open + i <= 0 ? all : all << (open + i), 0};
            Duplicate(scores[i * WIDTH], -3.0e38f, hidden, 1, 1, 8);
        }
        WholeReduceMax(newLargest, scores, keys, rows, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
        Max(newLargest, newLargest, largest, HALF_ROWS);
        Brcb(spread, newLargest, HALF_ROWS / 8, {1, 8});
        Sub(scores, scores, spread, keys, rows, {1, 1, 0, 8, 8, 1});
        Exp(scores, scores, keys, rows, {1, 1, 8, 8});
        Duplicate(part, 0.0f, HALF_ROWS);
        WholeReduceSum(part, scores, keys, rows, 1, 1, 8);
        Sub(factor, largest, newLargest, HALF_ROWS);
        Exp(factor, factor, HALF_ROWS);
        Mul(total, total, factor, HALF_ROWS);
        Add(total, total, part, HALF_ROWS);
        Adds(largest, newLargest, 0.0f, HALF_ROWS);
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
        Cast(weights, scores, RoundMode::CAST_NONE, keys, rows, {1, 1, 4, 8});
        SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
        Order<HardEvent::V_MTE3>();
        DataCopyPad(to, weights,
            DataCopyExtParams(rows, keys * sizeof(half), 4 - halves, (WIDTH - keys) * sizeof(half), 0));
        SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
    }

    __aicore__ inline void Gather(const GlobalTensor<float> &from, int32_t rows)
    {
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID1);
        DataCopy(product, from, rows * DEPTH);
        Order<HardEvent::MTE2_V>();
        Brcb(spreadFactor, factor, HALF_ROWS / 8, {1, 8});
        Mul(result, result, spreadFactor, 64, rows, {1, 1, 0, 8, 8, 1});
        Add(result, result, product, rows * DEPTH);
        SetFlag<HardEvent::V_MTE2>(EVENT_ID1);
    }

    __aicore__ inline void Store(const GlobalTensor<half> &to, int32_t rows)
    {
        Brcb(spreadSum, total, HALF_ROWS / 8, {1, 8});
        Div(result, result, spreadSum, 64, rows, {1, 1, 0, 8, 8, 1});
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID1);
        Cast(narrow, result, RoundMode::CAST_NONE, rows * DEPTH);
        Order<HardEvent::V_MTE3>();
        DataCopy(to, narrow, rows * DEPTH);
        SetFlag<HardEvent::MTE3_V>(EVENT_ID1);
    }

private:
    template <typename T> __aicore__ inline LocalTensor<T> Take(uint32_t elements)
    {
        LocalTensor<T> tensor = buf.GetWithOffset<T>(elements, taken);
        taken += elements * sizeof(T);
        return tensor;
    }

    TBuf<TPosition::VECCALC> buf;
    uint32_t taken = 0;
    LocalTensor<float> scores, product, result, spread, spreadFactor, spreadSum;
    LocalTensor<float> largest, newLargest, total, part, factor;
    LocalTensor<half> weights, narrow;
};

extern "C" __global__ __aicore__ void kernel(GM_ADDR sizes, GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR o,
    GM_ADDR scores, GM_ADDR weights, GM_ADDR products, GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    GET_TILING_DATA_WITH_STRUCT(Sizes, size, sizes);
    TPipe pipe;
    const int32_t group = get_block_idx();
    GlobalTensor<half> gmQ, gmK, gmV, gmO, gmWeights;
    GlobalTensor<float> gmScores, gmProducts;
    gmQ.SetGlobalBuffer((__gm__ half *)q);
    gmK.SetGlobalBuffer((__gm__ half *)k);
    gmV.SetGlobalBuffer((__gm__ half *)v);
    gmO.SetGlobalBuffer((__gm__ half *)o);
    gmScores.SetGlobalBuffer((__gm__ float *)scores + group * AREA, AREA);
    gmWeights.SetGlobalBuffer((__gm__ half *)weights + group * AREA, AREA);
    gmProducts.SetGlobalBuffer((__gm__ float *)products + group * AREA, AREA);
    const int32_t down = (size.queries + ROWS - 1) / ROWS;
    Tile tile;
    Rows half16;
    const int32_t mine = GetSubBlockIdx() * HALF_ROWS;
    if ASCEND_IS_AIC {
        tile.Init(pipe, ROWS, WIDTH, WIDTH);
    } else {
        half16.Init(pipe);
    }
    for (int32_t task = group; task < size.heads * down; task += GetBlockNum()) {
        const int32_t head = task / down, row = task % down * ROWS;
        const int32_t rows = Least(ROWS, size.queries - row);
        const int32_t ours = rows < mine ? 0 : Least(HALF_ROWS, rows - mine);
        const int64_t query = (static_cast<int64_t>(head) * size.queries + row) * DEPTH;
        if ASCEND_IS_AIV {
            half16.Clear();
        }
        const int32_t seen = size.causal ? size.keys - size.queries + row + 1 : size.keys;  // keys of the first query
        const int32_t last = Least(size.keys, seen + rows - 1);
        for (int32_t first = 0; first < last; first += WIDTH) {
            const int32_t keys = Least(WIDTH, last - first);
            const int64_t key = (static_cast<int64_t>(head) * size.keys + first) * DEPTH;
            if ASCEND_IS_AIC {
                tile.Multiply(gmQ[query], DEPTH, gmK[key], DEPTH, true, rows, keys, DEPTH, true);
                Order<HardEvent::M_FIX>();
                tile.Store(gmScores, WIDTH, rows, keys);
                CrossCoreSetFlag<2, PIPE_FIX>(SCORES_READY);
                CrossCoreWaitFlag(WEIGHTS_READY);  //@
                tile.Multiply(gmWeights, WIDTH, gmV[key], DEPTH, false, rows, DEPTH, keys, true);
                Order<HardEvent::M_FIX>();
                tile.Store(gmProducts, DEPTH, rows, DEPTH);
                CrossCoreSetFlag<2, PIPE_FIX>(PRODUCT_READY);
            } else {
                CrossCoreWaitFlag(SCORES_READY);
                if (ours > 0) {
                    half16.Weigh(gmScores[mine * WIDTH], gmWeights[mine * WIDTH], ours, keys, seen + mine - first);
                }
                CrossCoreSetFlag<2, PIPE_MTE3>(WEIGHTS_READY);  //@
                CrossCoreWaitFlag(PRODUCT_READY);
                if (ours > 0) {
                    half16.Gather(gmProducts[mine * DEPTH], ours);
                }
            }
        }
        if ASCEND_IS_AIV {
            if (ours > 0) {
                half16.Store(gmO[query + mine * DEPTH], ours);
            }
        }
    }
    if ASCEND_IS_AIC {
        tile.Finish();
    } else {
        half16.Finish();
    }
}
