// Vector libraries on matrices: reductions of rows and columns, Broadcast, Select with a byte mask, CumSum.
#pragma once
#include "ascendc/library_math.h"

namespace AscendC {

struct SumParams {
  uint32_t outter = 1;
  uint32_t inner;
  uint32_t n;
};
struct MeanParams {
  uint32_t outter = 1;
  uint32_t inner;
  uint32_t n;
};
struct SelectWithBytesMaskShapeInfo {
  uint32_t firstAxis = 0;
  uint32_t srcLastAxis = 0;
  uint32_t maskLastAxis = 0;
  SelectWithBytesMaskShapeInfo() {}
  SelectWithBytesMaskShapeInfo(const uint32_t first, const uint32_t srcLast, const uint32_t maskLast)
      : firstAxis(first), srcLastAxis(srcLast), maskLastAxis(maskLast) {}
};
struct CumSumConfig {
  bool isLastAxis = true;
  bool isReuseSource = false;
  bool outputLastRow = false;
};
inline constexpr CumSumConfig defaultCumSumConfig{};
struct CumSumInfo {
  uint32_t outter = 0;
  uint32_t inner = 0;
};
namespace Pattern::Reduce {
struct AR {};
struct RA {};
}  // namespace Pattern::Reduce

#define AK_BOTH(Api, Macro) \
  Macro(Api, nullptr, )     \
  Macro(Api, AK_TMP, const LocalTensor<uint8_t>& sharedTmpBuffer, )

#define AK_SUM(Api, Tmp, ...)                                                                                            \
  template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>                   \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, __VA_ARGS__ const SumParams& params) {           \
    AK_CHECK_DTYPE(Api, T);                                                                                              \
    AK_VECTOR_ONLY;                                                                                                      \
    akrt_l_rows({akrt::RowOp::kSum, #Api, AK_SITE, {params.outter, params.inner, params.n}, Tmp}, dst.AkLocal(), src.AkLocal()); \
  }
AK_BOTH(Sum, AK_SUM)
#undef AK_SUM
#define AK_MEAN(Api, Tmp, ...)                                                                                           \
  template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false, int32_t reduceDim = -1> \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, __VA_ARGS__ const MeanParams& params) {          \
    AK_CHECK_DTYPE(Api, T);                                                                                              \
    static_assert(std::is_same_v<accType, PrimT<T>> || std::is_same_v<accType, float>,                                   \
                  "Ascend C " #Api ": dtype of accType is not supported on Ascend 910B; legal: half, float");            \
    AK_VECTOR_ONLY;                                                                                                      \
    akrt_l_rows({akrt::RowOp::kMean, #Api, AK_SITE, {params.outter, params.inner, params.n}, Tmp, false,                 \
                 std::is_same_v<accType, float>},                                                                        \
                dst.AkLocal(), src.AkLocal());                                                                           \
  }
AK_BOTH(Mean, AK_MEAN)
#undef AK_MEAN

namespace akc {
// srcShape is the shape of the data; in memory rows are padded to whole blocks.
template <typename T, typename pattern>
akrt::RowCall RowsOf(akrt::RowOp op, const char* api, akrt::Site site, const uint32_t shape[], bool padded,
                     const akrt::Local* tmp) {
  if (!padded)
    akrt_argument_error("illegal-argument", api, "srcInnerPad is false.",
                "Pass true: rows are padded to whole blocks of 32 bytes in memory.", site);
  constexpr uint32_t kPerBlock = 32 / sizeof(PrimT<T>);
  return {op, api, site, {shape[0], (shape[1] + kPerBlock - 1) / kPerBlock * kPerBlock, shape[1]}, tmp,
          std::is_same_v<pattern, Pattern::Reduce::RA>};
}
}  // namespace akc
#define AK_PATTERN_REDUCE(Api, Row, Op, Tmp, ...)                                                                     \
  template <class T, class pattern, bool isReuseSource = false>                                                       \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, __VA_ARGS__ const uint32_t srcShape[], bool srcInnerPad) { \
    AK_CHECK_DTYPE_AS(Api, Row, T);                                                                                   \
    static_assert(akc::kOneOf<pattern, Pattern::Reduce::AR, Pattern::Reduce::RA>,                                     \
                  "Ascend C " #Api ": pattern is not supported on Ascend 910B; legal: Pattern::Reduce::AR, Pattern::Reduce::RA"); \
    AK_VECTOR_ONLY;                                                                                                   \
    akrt_l_rows(akc::RowsOf<T, pattern>(akrt::RowOp::Op, #Api, AK_SITE, srcShape, srcInnerPad, Tmp), dst.AkLocal(),   \
                src.AkLocal());                                                                                       \
  }
#define AK_PATTERN(Api, Row, Op)                    \
  AK_PATTERN_REDUCE(Api, Row, Op, nullptr, )        \
  AK_PATTERN_REDUCE(Api, Row, Op, AK_TMP, const LocalTensor<uint8_t>& sharedTmpBuffer, )
AK_PATTERN(ReduceSum, ReduceSum_pattern, kSum)
AK_PATTERN(ReduceMax, ReduceMax, kMax)
AK_PATTERN(ReduceMin, ReduceMin, kMin)
AK_PATTERN(ReduceMean, ReduceMean, kMean)
AK_PATTERN(ReduceProd, ReduceProd, kProd)
AK_PATTERN(ReduceAny, ReduceAny, kAny)
AK_PATTERN(ReduceAll, ReduceAll, kAll)
#undef AK_PATTERN
#undef AK_PATTERN_REDUCE
#undef AK_BOTH

#define AK_XOR_SUM(Api, Tmp, ...)                                                                                     \
  template <typename T, bool isReuseSource = false>                                                                   \
  AK_API void Api(LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, __VA_ARGS__ const uint32_t calCount) { \
    AK_CHECK_DTYPE(Api, T);                                                                                           \
    AK_VECTOR_ONLY;                                                                                                   \
    akrt_l_xor_sum(#Api, dst.AkLocal(), src0.AkLocal(), src1.AkLocal(), calCount, Tmp, AK_SITE);                      \
  }
AK_XOR_SUM(ReduceXorSum, nullptr, )
AK_XOR_SUM(ReduceXorSum, AK_TMP, LocalTensor<uint8_t>& sharedTmpBuffer, )
#undef AK_XOR_SUM

#define AK_CUM_SUM(Api, Tmp, ...)                                                                                     \
  template <typename T, const CumSumConfig& config = defaultCumSumConfig>                                             \
  AK_API void Api(LocalTensor<T>& dst, LocalTensor<T>& lastRow, const LocalTensor<T>& src, __VA_ARGS__ const CumSumInfo& info) { \
    AK_CHECK_DTYPE(Api, T);                                                                                           \
    AK_VECTOR_ONLY;                                                                                                   \
    akrt_l_cum_sum(#Api, dst.AkLocal(), config.outputLastRow ? &lastRow.AkLocal() : nullptr, src.AkLocal(), info.outter, \
                   info.inner, config.isLastAxis, Tmp, AK_SITE);                                                      \
  }
AK_CUM_SUM(CumSum, nullptr, )
AK_CUM_SUM(CumSum, AK_TMP, LocalTensor<uint8_t>& sharedTmpBuffer, )
#undef AK_CUM_SUM

// BroadCast is the old spelling.
#define AK_BROADCAST(Api, Tmp, ...)                                                                                     \
  template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                                          \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t dstShape[], const uint32_t srcShape[] __VA_ARGS__) { \
    AK_CHECK_DTYPE_AS(Api, Broadcast, T);                                                                               \
    static_assert((dim == 1 && axis == 0) || (dim == 2 && (axis == 0 || axis == 1)),                                    \
                  "Ascend C " #Api ": dim and axis are not supported on Ascend 910B; legal: <1, 0>, <2, 0>, <2, 1>");   \
    AK_VECTOR_ONLY;                                                                                                     \
    akrt_l_broadcast(#Api, dst.AkLocal(), src.AkLocal(), dstShape, srcShape, dim, axis, Tmp, AK_SITE);                  \
  }
AK_BROADCAST(Broadcast, nullptr, )
AK_BROADCAST(Broadcast, AK_TMP, , LocalTensor<uint8_t>& sharedTmpBuffer)
AK_BROADCAST(BroadCast, nullptr, )
AK_BROADCAST(BroadCast, AK_TMP, , LocalTensor<uint8_t>& sharedTmpBuffer)
#undef AK_BROADCAST

#define AK_BYTE_SELECT(Api, First, Second, Tensor, Scalar, ScalarFirst)                                              \
  template <typename T, typename U, bool isReuseMask = true>                                                         \
  AK_API void Api(const LocalTensor<T>& dst, First, Second, const LocalTensor<U>& mask,                              \
                  const LocalTensor<uint8_t>& sharedTmpBuffer, const SelectWithBytesMaskShapeInfo& info) {           \
    AK_CHECK_DTYPE(Api, T);                                                                                          \
    AK_CHECK_OPERAND(SelectWithBytesMask, mask, U);                                                                  \
    AK_VECTOR_ONLY;                                                                                                  \
    akrt_l_select_bytes(#Api, dst.AkLocal(), Tensor.AkLocal(), akc::Raw<PrimT<T>>(Scalar), ScalarFirst,              \
                        mask.AkLocal(), sharedTmpBuffer.AkLocal(), info.firstAxis, info.srcLastAxis, info.maskLastAxis, \
                        AK_SITE);                                                                                    \
  }
#define AK_BYTE_SELECTS(Api)                                                      \
  AK_BYTE_SELECT(Api, const LocalTensor<T>& src0, T src1, src0, src1, false)      \
  AK_BYTE_SELECT(Api, T src0, const LocalTensor<T>& src1, src1, src0, true)
AK_BYTE_SELECTS(Select)
AK_BYTE_SELECTS(SelectWithBytesMask)
#undef AK_BYTE_SELECTS
#undef AK_BYTE_SELECT

}  // namespace AscendC
