// Fused instructions whose operands may have different element types.
#pragma once
#include "ascendc/walk.h"

namespace AscendC {

#define AK_AXPY(MaskType)                                                                                              \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  AK_API void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, MaskType,               \
                   const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {                                  \
    AK_CHECK_PAIR(Axpy, T, U);                                                                                         \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_scalar(akrt::VecOp::kAxpy, "Axpy", dst.AkLocal(), src.AkLocal(), akc::Raw<PrimT<U>>(scalarValue),           \
                  akc::Strided(akc::Masked(mask, repeatTime, isSetMask), repeatParams), AK_SITE);                      \
  }
AK_AXPY(uint64_t mask)
AK_AXPY(uint64_t mask[])
#undef AK_AXPY
template <typename T, typename U>
AK_API void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, const int32_t& count) {
  AK_CHECK_PAIR(Axpy, T, U);
  AK_VECTOR_ONLY;
  akrt_v_scalar(akrt::VecOp::kAxpy, "Axpy", dst.AkLocal(), src.AkLocal(), akc::Raw<PrimT<U>>(scalarValue),
                akc::Count(count), AK_SITE);
}

#define AK_MIXED_FORM(Api, MaskType)                                                                                   \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, MaskType,         \
                  const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {                                  \
    AK_CHECK_PAIR(Api, T, U);                                                                                          \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_binary(akrt::VecOp::k##Api, #Api, dst.AkLocal(), src0.AkLocal(), src1.AkLocal(),                            \
                  akc::Strided(akc::Masked(mask, repeatTime, isSetMask), repeatParams), AK_SITE);                      \
  }
#define AK_MIXED_COUNT(Api, CountType)                                                                                 \
  template <typename T, typename U>                                                                                    \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, CountType) {      \
    AK_CHECK_PAIR(Api, T, U);                                                                                          \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_binary(akrt::VecOp::k##Api, #Api, dst.AkLocal(), src0.AkLocal(), src1.AkLocal(), akc::Count(count),         \
                  AK_SITE);                                                                                            \
  }
AK_MIXED_FORM(MulAddDst, const uint64_t mask[])
AK_MIXED_FORM(MulAddDst, uint64_t mask)
AK_MIXED_COUNT(MulAddDst, const int32_t& count)
AK_MIXED_FORM(MulCast, uint64_t mask[])
AK_MIXED_FORM(MulCast, uint64_t mask)
AK_MIXED_COUNT(MulCast, const uint32_t count)
AK_MIXED_FORM(AddReluCast, uint64_t mask[])
AK_MIXED_FORM(AddReluCast, uint64_t mask)
AK_MIXED_COUNT(AddReluCast, const uint32_t count)
AK_MIXED_FORM(SubReluCast, uint64_t mask[])
AK_MIXED_FORM(SubReluCast, uint64_t mask)
AK_MIXED_COUNT(SubReluCast, const uint32_t count)
#undef AK_MIXED_FORM
#undef AK_MIXED_COUNT

// The factor is the one of SetDeqScale. The templates take their types explicitly; both spellings are the same.
#define AK_ADD_DEQ_RELU(Head, T, U, MaskType)                                                                          \
  Head AK_API void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,       \
                              MaskType, const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {            \
    AK_DEQ_RELU_TYPES(T, U);                                                                                           \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_add_deq_relu("AddDeqRelu", dst.AkLocal(), src0.AkLocal(), src1.AkLocal(),                                   \
                        akc::Strided(akc::Masked(mask, repeatTime, isSetMask), repeatParams), AK_SITE);                \
  }
#define AK_ADD_DEQ_RELU_COUNT(Head, T, U)                                                                              \
  Head void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,              \
                       const int32_t& count) {                                                                         \
    AK_DEQ_RELU_TYPES(T, U);                                                                                           \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_add_deq_relu("AddDeqRelu", dst.AkLocal(), src0.AkLocal(), src1.AkLocal(), akc::Count(count), AK_SITE);      \
  }
#define AK_DEQ_RELU_TYPES(T, U)                                                                                        \
  static_assert(std::is_same_v<PrimT<T>, half> && std::is_same_v<PrimT<U>, int32_t>,                                   \
                "Ascend C AddDeqRelu: pair of destination and source dtypes is not supported on Ascend 910B; legal: "  \
                "half<-int32_t")
#define AK_FIXED template <bool isSetMask = true>
#define AK_TYPED template <typename T, typename U, bool isSetMask = true>
#define AK_TYPED_COUNT template <typename T, typename U>
AK_ADD_DEQ_RELU(AK_FIXED, half, int32_t, uint64_t mask[])
AK_ADD_DEQ_RELU(AK_FIXED, half, int32_t, uint64_t mask)
AK_ADD_DEQ_RELU(AK_TYPED, T, U, uint64_t mask[])
AK_ADD_DEQ_RELU(AK_TYPED, T, U, uint64_t mask)
AK_ADD_DEQ_RELU_COUNT(AK_API inline, half, int32_t)
AK_ADD_DEQ_RELU_COUNT(AK_TYPED_COUNT AK_API, T, U)
#undef AK_TYPED_COUNT
#undef AK_TYPED
#undef AK_FIXED
#undef AK_DEQ_RELU_TYPES
#undef AK_ADD_DEQ_RELU_COUNT
#undef AK_ADD_DEQ_RELU

}  // namespace AscendC
