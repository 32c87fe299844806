// The 64 largest values of a vector and where they are: each vector core sorts a part, the first one merges the heads.
#include "kernel_operator.h"
using namespace AscendC;

struct Sizes {
    int32_t length;
    int32_t reserved[7];
};

constexpr int32_t PART = 1024;
constexpr int32_t TOP = 64;
constexpr int32_t PAIR = 2;  // a value and its index, in elements of float
constexpr int32_t CORES = 4;

__aicore__ inline MrgSort4Info Four(uint16_t length, uint16_t repeats)
{
    const uint16_t lengths[4] = {length, length, length, length};
    return MrgSort4Info(lengths, false, 15, repeats);
}

__aicore__ inline void MergeFour(
    const LocalTensor<float> &to, const LocalTensor<float> &from, uint16_t length, uint16_t repeats)
{
    const int32_t step = length * PAIR;
    MrgSort(to, MrgSortSrcList<float>(from, from[step], from[2 * step], from[3 * step]), Four(length, repeats));
}

extern "C" __global__ __aicore__ void kernel(
    GM_ADDR sizes, GM_ADDR x, GM_ADDR values, GM_ADDR indices, GM_ADDR heads, GM_ADDR workspace)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    GET_TILING_DATA_WITH_STRUCT(Sizes, size, sizes);
    TPipe pipe;
    TBuf<TPosition::VECCALC> bufX, bufIndex, bufPairs, bufMerged;
    pipe.InitBuffer(bufX, PART * sizeof(float));
    pipe.InitBuffer(bufIndex, PART * sizeof(int32_t));
    pipe.InitBuffer(bufPairs, PART * PAIR * sizeof(float));
    pipe.InitBuffer(bufMerged, PART * PAIR * sizeof(float));
    LocalTensor<float> part = bufX.Get<float>(), pairs = bufPairs.Get<float>(), merged = bufMerged.Get<float>();
    LocalTensor<int32_t> index = bufIndex.Get<int32_t>();
    GlobalTensor<float> gmX, gmHeads, gmValues;
    GlobalTensor<uint32_t> gmIndices;
    gmX.SetGlobalBuffer((__gm__ float *)x, size.length);
    gmHeads.SetGlobalBuffer((__gm__ float *)heads, CORES * TOP * PAIR);
    gmValues.SetGlobalBuffer((__gm__ float *)values, TOP);
    gmIndices.SetGlobalBuffer((__gm__ uint32_t *)indices, TOP);

    const int32_t from = GetBlockIdx() * PART;
    const int32_t length = size.length - from < PART ? size.length - from : PART;
    Duplicate(part, -3.0e38f, PART);
    SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
    const uint8_t missing = (8 - length % 8) % 8;
    DataCopyPad(part, gmX[from], DataCopyExtParams(1, length * sizeof(float), 0, 0, 0),
        DataCopyPadExtParams<float>(true, 0, missing, -3.0e38f));
    CreateVecIndex(index, from, PART);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Sort32(pairs, part, index.ReinterpretCast<uint32_t>(), PART / 32);
    MergeFour(merged, pairs, 32, 8);
    MergeFour(pairs, merged, 128, 2);
    const uint16_t halves[4] = {512, 512, 0, 0};
    MrgSort(merged, MrgSortSrcList<float>(pairs, pairs[512 * PAIR], pairs, pairs), MrgSort4Info(halves, false, 3, 1));
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(gmHeads[GetBlockIdx() * TOP * PAIR], merged, TOP * PAIR);
    PipeBarrier<PIPE_ALL>();
    SyncAll();  //@
    if (GetBlockIdx() != 0) {
        return;
    }
    DataCopy(pairs, gmHeads, CORES * TOP * PAIR);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    MergeFour(merged, pairs, TOP, 1);
    uint64_t kept = 0;
    GatherMask(part, merged, 1, false, 0, GatherMaskParams(1, TOP * PAIR / 64, 8, 0), kept);
    LocalTensor<uint32_t> words = merged.ReinterpretCast<uint32_t>();
    LocalTensor<uint32_t> found = index.ReinterpretCast<uint32_t>();
    GatherMask(found, words, 2, false, 0, GatherMaskParams(1, TOP * PAIR / 64, 8, 0), kept);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(gmValues, part, TOP);
    DataCopy(gmIndices, found, TOP);
}
