// Reductions per repeat, per block, per pair, and complete ones.
#pragma once
#include "ascendc/walk.h"

namespace AscendC {

namespace akc {
// Old names give repeat before mask, new names the reverse; both end up here.
template <typename T>
void ReduceWhole(akrt::ReduceOp op, const char* api, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                 ReduceOrder order, const akrt::Walk& walk, akrt::Site site) {
  akrt_v_reduce_whole(op, api, dst.AkLocal(), src.AkLocal(), static_cast<uint8_t>(order), walk, site);
}
}  // namespace akc

#define AK_WHOLE(Api, Op, MaskType, OrderParam, Order)                                                                 \
  template <typename T, bool isSetMask = true>                                                                         \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, MaskType, const int32_t repeatTime,            \
                  const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride OrderParam) {     \
    AK_CHECK_DTYPE(Api, T);                                                                                            \
    AK_VECTOR_ONLY;                                                                                                    \
    akc::ReduceWhole(                                                                                                  \
        Op, #Api, dst, src, Order,                                                                                     \
        akc::Strided(akc::MaskedInt(mask, repeatTime, isSetMask), dstRepStride, srcBlkStride, srcRepStride), AK_SITE); \
  }
#define AK_NOTHING
#define AK_ORDER , ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX
AK_WHOLE(WholeReduceSum, akrt::ReduceOp::kSum, const uint64_t mask[], AK_NOTHING, ReduceOrder::ORDER_ONLY_VALUE)
AK_WHOLE(WholeReduceSum, akrt::ReduceOp::kSum, const int32_t mask, AK_NOTHING, ReduceOrder::ORDER_ONLY_VALUE)
AK_WHOLE(WholeReduceMax, akrt::ReduceOp::kMax, const uint64_t mask[], AK_ORDER, order)
AK_WHOLE(WholeReduceMax, akrt::ReduceOp::kMax, const int32_t mask, AK_ORDER, order)
AK_WHOLE(WholeReduceMin, akrt::ReduceOp::kMin, const uint64_t mask[], AK_ORDER, order)
AK_WHOLE(WholeReduceMin, akrt::ReduceOp::kMin, const int32_t mask, AK_ORDER, order)
#undef AK_WHOLE
#undef AK_ORDER
#undef AK_NOTHING

template <typename T, bool isSetMask = true>
AK_API void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                            const int32_t mask, const int32_t, const int32_t srcBlkStride, const int32_t dstRepStride,
                            const int32_t srcRepStride) {
  AK_CHECK_DTYPE(RepeatReduceSum, T);
  AK_VECTOR_ONLY;
  akc::ReduceWhole(akrt::ReduceOp::kSum, "RepeatReduceSum", dst, src, ReduceOrder::ORDER_ONLY_VALUE,
                   akc::Strided(akc::MaskedInt(mask, repeatTime, isSetMask), dstRepStride, srcBlkStride, srcRepStride),
                   AK_SITE);
}

#define AK_PARTIAL(Api, MaskType, Call, ...)                                                                           \
  template <typename T, bool isSetMask = true>                                                                         \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, MaskType,            \
                  const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride) {                \
    AK_CHECK_DTYPE(Api, T);                                                                                            \
    AK_VECTOR_ONLY;                                                                                                    \
    Call(__VA_ARGS__ #Api, dst.AkLocal(), src.AkLocal(),                                                               \
         akc::Strided(akc::MaskedInt(mask, repeatTime, isSetMask), dstRepStride, srcBlkStride, srcRepStride),          \
         AK_SITE);                                                                                                     \
  }
#define AK_BLOCKS(Api, Op)                                                                \
  AK_PARTIAL(Api, const int32_t mask, akrt_v_reduce_block, akrt::ReduceOp::Op, )          \
  AK_PARTIAL(Api, const uint64_t mask[], akrt_v_reduce_block, akrt::ReduceOp::Op, )
AK_BLOCKS(BlockReduceSum, kSum)
AK_BLOCKS(BlockReduceMax, kMax)
AK_BLOCKS(BlockReduceMin, kMin)
AK_PARTIAL(PairReduceSum, const int32_t mask, akrt_v_reduce_pair, )
AK_PARTIAL(PairReduceSum, const uint64_t mask[], akrt_v_reduce_pair, )
#undef AK_BLOCKS
#undef AK_PARTIAL

namespace akc {
template <ReduceType type>
constexpr akrt::ReduceOp OpOf() {
  static_assert(type != ReduceType::NONE, "Ascend C ReduceRepeat: reduce type is not supported on Ascend 910B; legal: ReduceType::SUM, ReduceType::MAX, ReduceType::MIN");
  return type == ReduceType::SUM ? akrt::ReduceOp::kSum
                                 : type == ReduceType::MAX ? akrt::ReduceOp::kMax : akrt::ReduceOp::kMin;
}
}  // namespace akc

#define AK_NEW_NAMES(MaskType)                                                                                         \
  template <ReduceType type, typename T, typename U, bool isSetMask = true>                                            \
  AK_API void ReduceRepeat(const LocalTensor<T>& dst, const LocalTensor<U>& src, MaskType, const int32_t repeatTime,   \
                           const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,         \
                           ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {                                       \
    AK_CHECK_DTYPE(ReduceRepeat, U);                                                                                   \
    static_assert(std::is_same_v<PrimT<T>, PrimT<U>>,                                                                  \
                  "Ascend C ReduceRepeat: destination and source dtypes differ; legal: half, float");                  \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_reduce_whole(                                                                                               \
        akc::OpOf<type>(), "ReduceRepeat", dst.AkLocal(), src.AkLocal(),                                               \
        static_cast<uint8_t>(type == ReduceType::SUM ? ReduceOrder::ORDER_ONLY_VALUE : order),                         \
        akc::Strided(akc::MaskedInt(mask, repeatTime, isSetMask), dstRepStride, srcBlkStride, srcRepStride), AK_SITE); \
  }                                                                                                                    \
  template <ReduceType type, typename T, typename U, bool isSetMask = true>                                            \
  AK_API void ReduceDataBlock(const LocalTensor<T>& dst, const LocalTensor<U>& src, MaskType,                          \
                              const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,        \
                              const int32_t srcRepStride) {                                                            \
    AK_CHECK_DTYPE(ReduceDataBlock, U);                                                                                \
    static_assert(std::is_same_v<PrimT<T>, PrimT<U>>,                                                                  \
                  "Ascend C ReduceDataBlock: destination and source dtypes differ; legal: half, float");               \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_reduce_block(                                                                                               \
        akc::OpOf<type>(), "ReduceDataBlock", dst.AkLocal(), src.AkLocal(),                                            \
        akc::Strided(akc::MaskedInt(mask, repeatTime, isSetMask), dstRepStride, srcBlkStride, srcRepStride), AK_SITE); \
  }                                                                                                                    \
  template <ReduceType type, typename T, typename U, bool isSetMask = true>                                            \
  AK_API void ReducePairElem(const LocalTensor<T>& dst, const LocalTensor<U>& src, MaskType,                           \
                             const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,         \
                             const int32_t srcRepStride) {                                                             \
    AK_CHECK_DTYPE(ReducePairElem, U);                                                                                 \
    static_assert(type == ReduceType::SUM && std::is_same_v<PrimT<T>, PrimT<U>>,                                       \
                  "Ascend C ReducePairElem: reduce type is not supported on Ascend 910B; legal: ReduceType::SUM");     \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_reduce_pair(                                                                                                \
        "ReducePairElem", dst.AkLocal(), src.AkLocal(),                                                                \
        akc::Strided(akc::MaskedInt(mask, repeatTime, isSetMask), dstRepStride, srcBlkStride, srcRepStride), AK_SITE); \
  }
AK_NEW_NAMES(const int32_t mask)
AK_NEW_NAMES(const uint64_t mask[])
#undef AK_NEW_NAMES

template <typename T, bool isSetMask = true>
AK_API void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
                      const int32_t count) {
  AK_CHECK_DTYPE(ReduceSum, T);
  AK_VECTOR_ONLY;
  akrt_v_reduce(akrt::ReduceOp::kSum, "ReduceSum", dst.AkLocal(), src.AkLocal(), sharedTmpBuffer.AkLocal(), false,
                akc::Count(count, isSetMask), AK_SITE);
}
#define AK_COMPLETE(Api, Op, MaskType, IndexParam, Index)                                                              \
  template <typename T>                                                                                                \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,         \
                  MaskType, const int32_t repeatTime, const int32_t srcRepStride IndexParam) {                         \
    AK_CHECK_DTYPE(Api, T);                                                                                            \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_reduce(akrt::ReduceOp::Op, #Api, dst.AkLocal(), src.AkLocal(), sharedTmpBuffer.AkLocal(), Index,            \
                  akc::Strided(akc::MaskedInt(mask, repeatTime, true), 1, 1, srcRepStride), AK_SITE);                  \
  }
#define AK_NOTHING
#define AK_INDEX , bool calIndex = false
AK_COMPLETE(ReduceSum, kSum, const int32_t mask, AK_NOTHING, false)
AK_COMPLETE(ReduceSum, kSum, const uint64_t mask[], AK_NOTHING, false)
AK_COMPLETE(ReduceMax, kMax, const int32_t mask, AK_INDEX, calIndex)
AK_COMPLETE(ReduceMax, kMax, const uint64_t mask[], AK_INDEX, calIndex)
AK_COMPLETE(ReduceMin, kMin, const int32_t mask, AK_INDEX, calIndex)
AK_COMPLETE(ReduceMin, kMin, const uint64_t mask[], AK_INDEX, calIndex)
#undef AK_COMPLETE
#undef AK_NOTHING
#undef AK_INDEX
#define AK_COUNTED(Api, Op)                                                                                            \
  template <typename T>                                                                                                \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,         \
                  const int32_t count, bool calIndex = false) {                                                        \
    AK_CHECK_DTYPE(Api, T);                                                                                            \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_reduce(akrt::ReduceOp::Op, #Api, dst.AkLocal(), src.AkLocal(), sharedTmpBuffer.AkLocal(), calIndex,         \
                  akc::Count(count), AK_SITE);                                                                         \
  }
AK_COUNTED(ReduceMax, kMax)
AK_COUNTED(ReduceMin, kMin)
#undef AK_COUNTED

#define AK_ACC_VALUE(Api)                                          \
  template <typename T>                                            \
  AK_API T Api() {                                                 \
    AK_CHECK_DTYPE(Api, T);                                        \
    return akc::FromRaw<T>(static_cast<uint64_t>(akrt_acc_val(AK_SITE))); \
  }
AK_ACC_VALUE(GetAccVal)
AK_ACC_VALUE(GetReduceRepeatSumSpr)
#undef AK_ACC_VALUE
AK_API inline int64_t GetAccVal() { return akrt_acc_val(AK_SITE); }

#define AK_MAX_MIN(Api)                                               \
  template <typename T>                                               \
  AK_API void Api(T& maxMinValue, T& maxMinIndex) {                   \
    AK_CHECK_DTYPE(Api, T);                                           \
    AK_VECTOR_ONLY;                                                   \
    uint64_t value = 0;                                               \
    uint64_t index = 0;                                               \
    akrt_reduce_max_min(&value, &index, AK_SITE);                     \
    maxMinValue = akc::FromRaw<T>(value);                             \
    maxMinIndex = akc::FromRaw<T>(index);                             \
  }                                                                   \
  template <typename T>                                               \
  AK_API void Api(T& maxMinValue) {                                   \
    AK_CHECK_DTYPE(Api, T);                                           \
    AK_VECTOR_ONLY;                                                   \
    uint64_t value = 0;                                               \
    uint64_t index = 0;                                               \
    akrt_reduce_max_min(&value, &index, AK_SITE);                     \
    maxMinValue = akc::FromRaw<T>(value);                             \
  }
AK_MAX_MIN(GetReduceMaxMinCount)
AK_MAX_MIN(GetReduceRepeatMaxMinSpr)
#undef AK_MAX_MIN
// Raw bits, as older programs read them.
AK_API inline void GetReduceMaxMinCount(uint32_t& maxMinValue, uint32_t& maxMinIndex) {
  AK_VECTOR_ONLY;
  uint64_t value = 0;
  uint64_t index = 0;
  akrt_reduce_max_min(&value, &index, AK_SITE);
  maxMinValue = static_cast<uint32_t>(value);
  maxMinIndex = static_cast<uint32_t>(index);
}
AK_API inline void GetReduceMaxMinCount(uint32_t& maxMinValue) {
  AK_VECTOR_ONLY;
  uint64_t value = 0;
  uint64_t index = 0;
  akrt_reduce_max_min(&value, &index, AK_SITE);
  maxMinValue = static_cast<uint32_t>(value);
}

}  // namespace AscendC
