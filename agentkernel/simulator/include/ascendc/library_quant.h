// Vector libraries: quantisation and sorting.
#pragma once
#include "ascendc/library_softmax.h"

namespace AscendC {

enum class DeQuantMode { DEQUANT_WITH_SINGLE_ROW = 0, DEQUANT_WITH_MULTI_ROW };
struct DequantParams {
  uint32_t m = 0;
  uint32_t n = 0;
  uint32_t calCount = 0;
};
struct AscendQuantConfig {};
inline constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG{};
// Axes of scales and offsets; 0: those of the tensors' ShapeInfo.
struct AntiQuantShapeInfo {
  uint32_t offsetHeight{0};
  uint32_t offsetWidth{0};
  uint32_t scaleHeight{0};
  uint32_t scaleWidth{0};
};

#define AK_TMP_ const LocalTensor<uint8_t>& sharedTmpBuffer,

// ---- AscendQuant: half arithmetic, rounded to the nearest even integer, saturated -----------------------------------------
namespace akc {
inline void QuantRows(akrt::QuantCall call, uint32_t count, uint32_t columns, const akrt::Local& dst,
                      const akrt::Local& src) {
  if (columns == 0) columns = count == 0 ? 1 : count;
  if (count % columns != 0 || (call.scale != nullptr && columns % 32 != 0))
    akrt_argument_error("count-alignment", call.api, "calCount or scaleCount does not divide into rows.",
                        "scaleCount is a multiple of 32, and calCount a multiple of scaleCount.", call.site);
  call.shape = {count / columns, columns, columns};
  call.dst_columns = columns;
  akrt_l_quant(call, dst, src);
}
inline void QuantCounts(const char* api, uint32_t scaleCount, uint32_t offsetCount, akrt::Site site) {
  if (scaleCount != offsetCount)
    akrt_argument_error("illegal-argument", api, "scaleCount and offsetCount differ.", "They are equal.", site);
}
}  // namespace akc
#define AK_QUANT_CHECK(S)                                                                                      \
  static_assert(akc::kOneOf<PrimT<S>, half, float>,                                                            \
                "Ascend C AscendQuant: dtype is not supported on Ascend 910B; legal: half, float");            \
  AK_VECTOR_ONLY;
#define AK_QUANT_CALL(Tmp) {akrt::QuantOp::kQuant, "AscendQuant", AK_SITE, {}, 0, Tmp
#define AK_QUANT_FORMS(Head, D, S, Check, Tmp, ...)                                                                      \
  Head AK_API void AscendQuant(const LocalTensor<D>& dst, const LocalTensor<S>& src, __VA_ARGS__ const float scale,      \
                               const float offset, const uint32_t calCount) {                                            \
    Check akc::QuantRows(AK_QUANT_CALL(Tmp), nullptr, nullptr, scale, offset}, calCount, 0, dst.AkLocal(), src.AkLocal()); \
  }                                                                                                                      \
  Head AK_API void AscendQuant(const LocalTensor<D>& dst, const LocalTensor<S>& src, __VA_ARGS__ const float scale,      \
                               const float offset) {                                                                     \
    Check akc::QuantRows(AK_QUANT_CALL(Tmp), nullptr, nullptr, scale, offset}, src.GetSize(), 0, dst.AkLocal(), src.AkLocal()); \
  }                                                                                                                      \
  Head AK_API void AscendQuant(const LocalTensor<D>& dst, const LocalTensor<S>& src, __VA_ARGS__ const LocalTensor<S>& scale, \
                               const S offset, const uint32_t scaleCount, const uint32_t calCount) {                     \
    Check akc::QuantRows(AK_QUANT_CALL(Tmp), &scale.AkLocal(), nullptr, 1, static_cast<float>(offset)}, calCount,        \
                         scaleCount, dst.AkLocal(), src.AkLocal());                                                      \
  }                                                                                                                      \
  Head AK_API void AscendQuant(const LocalTensor<D>& dst, const LocalTensor<S>& src, __VA_ARGS__ const LocalTensor<S>& scale, \
                               const LocalTensor<S>& offset, const uint32_t scaleCount, const uint32_t offsetCount,      \
                               const uint32_t calCount) {                                                                \
    Check akc::QuantCounts("AscendQuant", scaleCount, offsetCount, AK_SITE);                                             \
    akc::QuantRows(AK_QUANT_CALL(Tmp), &scale.AkLocal(), &offset.AkLocal()}, calCount, scaleCount, dst.AkLocal(),        \
                   src.AkLocal());                                                                                       \
  }                                                                                                                      \
  Head AK_API void AscendQuant(const LocalTensor<D>& dst, const LocalTensor<S>& src, __VA_ARGS__ const LocalTensor<S>& scale, \
                               const S offset) {                                                                         \
    Check akc::QuantRows(AK_QUANT_CALL(Tmp), &scale.AkLocal(), nullptr, 1, static_cast<float>(offset)}, src.GetSize(),   \
                         scale.GetSize(), dst.AkLocal(), src.AkLocal());                                                 \
  }                                                                                                                      \
  Head AK_API void AscendQuant(const LocalTensor<D>& dst, const LocalTensor<S>& src, __VA_ARGS__ const LocalTensor<S>& scale, \
                               const LocalTensor<S>& offset) {                                                           \
    Check akc::QuantCounts("AscendQuant", scale.GetSize(), offset.GetSize(), AK_SITE);                                   \
    akc::QuantRows(AK_QUANT_CALL(Tmp), &scale.AkLocal(), &offset.AkLocal()}, src.GetSize(), scale.GetSize(),             \
                   dst.AkLocal(), src.AkLocal());                                                                        \
  }
#define AK_QUANT_ONE_TYPE \
  template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
#define AK_QUANT_TWO_TYPES                                                \
  template <typename dstT, typename srcT, bool isReuseSource = false>     \
    requires std::is_same_v<PrimT<dstT>, int8_t>
AK_QUANT_FORMS(AK_QUANT_ONE_TYPE, int8_t, T, AK_QUANT_CHECK(T), nullptr, )
AK_QUANT_FORMS(AK_QUANT_ONE_TYPE, int8_t, T, AK_QUANT_CHECK(T), &sharedTmpBuffer.AkLocal(), AK_TMP_)
AK_QUANT_FORMS(AK_QUANT_TWO_TYPES, dstT, srcT, AK_QUANT_CHECK(srcT), nullptr, )
AK_QUANT_FORMS(AK_QUANT_TWO_TYPES, dstT, srcT, AK_QUANT_CHECK(srcT), &sharedTmpBuffer.AkLocal(), AK_TMP_)
#undef AK_QUANT_TWO_TYPES
#undef AK_QUANT_ONE_TYPE
#undef AK_QUANT_FORMS
#undef AK_QUANT_CALL
#undef AK_QUANT_CHECK

// ---- AscendDequant: int32 times a scale a column, in float ---------------------------------------------------------------
namespace akc {
// With one row of a multiple of calCount elements, DEQUANT_WITH_SINGLE_ROW takes it as rows of calCount elements.
template <typename dstT>
void DequantRows(akrt::QuantCall call, DequantParams p, bool singleRow, const akrt::Local& dst, const akrt::Local& src) {
  constexpr uint32_t kPerBlock = 32 / sizeof(PrimT<dstT>);
  if (singleRow && p.m == 1 && p.calCount != 0 && p.n % p.calCount == 0) p = {p.n / p.calCount, p.calCount, p.calCount};
  else if (p.n % 8 != 0)
    akrt_argument_error("count-alignment", call.api, "Rows of the source cover no whole blocks of 32 bytes.",
                        "n is a multiple of 8.", call.site);
  call.shape = {p.m, p.n, p.calCount};
  call.dst_columns = p.m == 1 ? p.n : (p.n + kPerBlock - 1) / kPerBlock * kPerBlock;
  akrt_l_quant(call, dst, src);
}
template <typename scaleT>
float ScaleOf(scaleT value) {
  if constexpr (std::is_same_v<scaleT, bfloat16_t>) return ToFloat(value);
  else return static_cast<float>(value);
}
}  // namespace akc
#define AK_DEQUANT(ScaleParam, ScaleTypes, Legal, Scale, Value, Params, Tmp, ...)                                        \
  template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>                     \
  AK_API void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<int32_t>& src, ScaleParam __VA_ARGS__) {     \
    static_assert(akc::kOneOf<PrimT<dstT>, half, bfloat16_t, float>,                                                     \
                  "Ascend C AscendDequant: dtype is not supported on Ascend 910B; legal: half, bfloat16_t, float");      \
    static_assert(ScaleTypes, "Ascend C AscendDequant: dtype of scale is not supported on Ascend 910B; legal: " Legal);  \
    AK_VECTOR_ONLY;                                                                                                      \
    akc::DequantRows<dstT>({akrt::QuantOp::kDequant, "AscendDequant", AK_SITE, {}, 0, Tmp, Scale, nullptr, Value},       \
                           Params, mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW, dst.AkLocal(), src.AkLocal());          \
  }
#define AK_DEQUANT_TENSOR(Params, Tmp, ...)                                                                      \
  AK_DEQUANT(const LocalTensor<scaleT>& deqScale, (akc::kOneOf<PrimT<scaleT>, uint64_t, float, bfloat16_t>),     \
             "uint64_t, float, bfloat16_t", &deqScale.AkLocal(), 1, Params, Tmp, __VA_ARGS__)
#define AK_DEQUANT_SCALAR(Params, Tmp, ...)                                                                    \
  AK_DEQUANT(const scaleT deqScale, (akc::kOneOf<scaleT, float, bfloat16_t>), "float, bfloat16_t", nullptr,    \
             akc::ScaleOf(deqScale), Params, Tmp, __VA_ARGS__)
#define AK_ROW_OF(count) (DequantParams{1, count, deqScale.GetSize()})
#define AK_SHARED_ , const LocalTensor<uint8_t>& sharedTmpBuffer
AK_DEQUANT_TENSOR(params, nullptr, , DequantParams params)
AK_DEQUANT_TENSOR(params, &sharedTmpBuffer.AkLocal(), AK_SHARED_, DequantParams params)
AK_DEQUANT_SCALAR(params, nullptr, , DequantParams params)
AK_DEQUANT_SCALAR(params, &sharedTmpBuffer.AkLocal(), AK_SHARED_, DequantParams params)
AK_DEQUANT_TENSOR(AK_ROW_OF(calCount), nullptr, , const uint32_t calCount)
AK_DEQUANT_TENSOR(AK_ROW_OF(calCount), &sharedTmpBuffer.AkLocal(), AK_SHARED_, const uint32_t calCount)
AK_DEQUANT_TENSOR(AK_ROW_OF(src.GetSize()), nullptr, )
AK_DEQUANT_TENSOR(AK_ROW_OF(src.GetSize()), &sharedTmpBuffer.AkLocal(), AK_SHARED_)
#undef AK_SHARED_
#undef AK_ROW_OF
#undef AK_DEQUANT_SCALAR
#undef AK_DEQUANT_TENSOR
#undef AK_DEQUANT

// ---- AscendAntiQuant: (src + offset) * scale; a column (a row, if transposed) of a group along k has its own scale ----------
namespace akc {
// Groups along k: rows of the scales, or columns where they are transposed.
template <bool isTranspose, typename T>
uint32_t Groups(const LocalTensor<T>& scale, const AntiQuantShapeInfo& given) {
  const ShapeInfo own = scale.GetShapeInfo();
  const bool told = own.shapeDim == 2;
  if (isTranspose) return given.scaleWidth != 0 ? given.scaleWidth : told ? own.shape[1] : 1;
  return given.scaleHeight != 0 ? given.scaleHeight : told ? own.shape[0] : 1;
}
template <bool isTranspose, typename T>
uint32_t Groups(const T&, const AntiQuantShapeInfo&) {
  return 1;
}
template <typename I, typename O, bool isTranspose>
void AntiQuantRows(akrt::QuantCall call, uint32_t k, uint32_t count, const akrt::Local& dst, const akrt::Local& src) {
  static_assert(kOneOf<PrimT<I>, int8_t, int4b_t> && kOneOf<PrimT<O>, half, bfloat16_t>,
                "Ascend C AscendAntiQuant: dtype is not supported on Ascend 910B; legal: int8_t, int4b_t to half, bfloat16_t");
  if (k == 0 || k % 32 != 0 || count % k != 0) {
    akrt_argument_error("count-alignment", call.api, "k does not divide the source into rows.",
                        "k is a multiple of 32, and the source holds a multiple of k elements.", call.site);
    return;
  }
  if (call.groups == 0 || k % call.groups != 0) {
    akrt_argument_error("illegal-argument", call.api, "The scales do not divide k into groups.",
                        "The height of the scales (their width, if transposed) divides k.", call.site);
    return;
  }
  const uint32_t n = count / k;
  call.by_row = isTranspose;
  if (isTranspose) call.shape = {n, k, k};
  else call.shape = {k, n, n};
  call.dst_columns = call.shape.columns;
  akrt_l_quant(call, dst, src);
}
}  // namespace akc
#define AK_ANTI_QUANT(Scale, Offset, ScaleValue, OffsetValue, Tmp, ...)                                                  \
  template <typename InputDataType, typename OutputDataType, bool isTranspose>                                           \
  AK_API void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src, __VA_ARGS__, \
                              const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {}) {                              \
    AK_VECTOR_ONLY;                                                                                                      \
    akc::AntiQuantRows<InputDataType, OutputDataType, isTranspose>(                                                      \
        {akrt::QuantOp::kAntiQuant, "AscendAntiQuant", AK_SITE, {}, 0, Tmp, Scale, Offset, ScaleValue, OffsetValue,      \
         isTranspose, akc::Groups<isTranspose>(scale, shapeInfo)}, k,                                                    \
        src.GetSize(), dst.AkLocal(), src.AkLocal());                                                                    \
  }
#define AK_OUT const LocalTensor<OutputDataType>&
AK_ANTI_QUANT(&scale.AkLocal(), &offset.AkLocal(), 1, 0, nullptr, AK_OUT offset, AK_OUT scale)
AK_ANTI_QUANT(&scale.AkLocal(), &offset.AkLocal(), 1, 0, &tmp.AkLocal(), AK_OUT offset, AK_OUT scale, const LocalTensor<uint8_t>& tmp)
AK_ANTI_QUANT(&scale.AkLocal(), nullptr, 1, 0, &tmp.AkLocal(), AK_OUT scale, const LocalTensor<uint8_t>& tmp)
AK_ANTI_QUANT(nullptr, nullptr, akc::ScaleOf(scale), akc::ScaleOf(offset), nullptr, const OutputDataType offset, const OutputDataType scale)
AK_ANTI_QUANT(nullptr, nullptr, akc::ScaleOf(scale), akc::ScaleOf(offset), &tmp.AkLocal(), const OutputDataType offset, const OutputDataType scale, const LocalTensor<uint8_t>& tmp)
AK_ANTI_QUANT(nullptr, nullptr, akc::ScaleOf(scale), 0, &tmp.AkLocal(), const OutputDataType scale, const LocalTensor<uint8_t>& tmp)
#undef AK_OUT
#undef AK_ANTI_QUANT

// ---- sorting: 32 (score, index) pairs of 8 bytes a repeat -------------------------------------------------------------------
// On this chip the sort reads the scores where they are.
template <typename T>
AK_API void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>&, const int32_t repeatTime) {
  AK_CHECK_DTYPE(Concat, T);
  AK_VECTOR_ONLY;
  if (repeatTime < 0 || repeatTime > 255)
    akrt_argument_error("repeat-range", "Concat", "repeatTime is out of range.", "It is 0 to 255.", AK_SITE);
  concat = src;
}
template <typename T, bool isFullSort>
AK_API void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat, const LocalTensor<uint32_t>& index,
                 LocalTensor<T>& tmp, const int32_t repeatTime) {
  AK_CHECK_DTYPE_AS(Sort, Concat, T);
  AK_VECTOR_ONLY;
  akrt_l_sort("Sort", dst.AkLocal(), concat.AkLocal(), index.AkLocal(), &tmp.AkLocal(), repeatTime, isFullSort, AK_SITE);
}
template <typename T>
AK_API void Extract(const LocalTensor<T>& dstValue, const LocalTensor<uint32_t>& dstIndex, const LocalTensor<T>& sorted,
                    const int32_t repeatTime) {
  AK_CHECK_DTYPE(Extract, T);
  AK_VECTOR_ONLY;
  akrt_l_extract("Extract", dstValue.AkLocal(), dstIndex.AkLocal(), sorted.AkLocal(), repeatTime, AK_SITE);
}
// Bytes that `elemCount` (value, index) pairs take, and where in bytes a pair lies.
template <typename T>
constexpr uint32_t GetSortLen(const uint32_t elemCount) {
  static_assert(akc::kOneOf<PrimT<T>, half, float>, "Ascend C GetSortLen: dtype is not supported on Ascend 910B; legal: half, float");
  return elemCount * 8;
}
template <typename T>
constexpr uint32_t GetSortOffset(const uint32_t elemOffset) {
  static_assert(akc::kOneOf<PrimT<T>, half, float>, "Ascend C GetSortOffset: dtype is not supported on Ascend 910B; legal: half, float");
  return elemOffset * 8;
}
#undef AK_TMP_

}  // namespace AscendC
