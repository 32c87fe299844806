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

}  // namespace AscendC
