// Comparisons, whose results are packed bits, and selections by such bits.
#pragma once
#include "ascendc/walk.h"

namespace AscendC {

#define AK_COMPARE(MaskType)                                                                                           \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  AK_API void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,               \
                      CMPMODE cmpMode, MaskType, uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {         \
    AK_CHECK_DTYPE(Compare, T);                                                                                        \
    AK_CHECK_OPERAND(Compare, dst, U);                                                                                 \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_compare("Compare", dst.AkLocal(), src0.AkLocal(), src1.AkLocal(), static_cast<uint8_t>(cmpMode),            \
                   akc::Strided(akc::Masked(mask, repeatTime, isSetMask), repeatParams), AK_SITE);                     \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  AK_API void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, MaskType,               \
                      const BinaryRepeatParams& repeatParams) {                                                        \
    AK_CHECK_DTYPE_AS(Compare, Compare_register, T);                                                                   \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_compare_register("Compare", src0.AkLocal(), src1.AkLocal(), static_cast<uint8_t>(cmpMode),                  \
                            akc::Strided(akc::Masked(mask, 1, isSetMask), repeatParams), AK_SITE);                     \
  }
AK_COMPARE(const uint64_t mask[])
AK_COMPARE(const uint64_t mask)
#undef AK_COMPARE
template <typename T, typename U>
AK_API void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                    CMPMODE cmpMode, uint32_t count) {
  AK_CHECK_DTYPE(Compare, T);
  AK_CHECK_OPERAND(Compare, dst, U);
  AK_VECTOR_ONLY;
  akrt_v_compare("Compare", dst.AkLocal(), src0.AkLocal(), src1.AkLocal(), static_cast<uint8_t>(cmpMode),
                 akc::Count(count), AK_SITE);
}

#define AK_COMPARE_SCALAR_FORM(Api, MaskType)                                                                          \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  AK_API void Api(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,          \
                  MaskType, uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {                               \
    AK_CHECK_DTYPE(Api, T);                                                                                            \
    AK_CHECK_OPERAND(Api, dst, U);                                                                                     \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_compare_scalar(#Api, dst.AkLocal(), src0.AkLocal(), akc::Raw<PrimT<T>>(src1Scalar),                         \
                          static_cast<uint8_t>(cmpMode),                                                               \
                          akc::Strided(akc::Masked(mask, repeatTime, isSetMask), repeatParams), AK_SITE);              \
  }
#define AK_COMPARE_SCALAR(Api)                                                                                         \
  AK_COMPARE_SCALAR_FORM(Api, const uint64_t mask[])                                                                   \
  AK_COMPARE_SCALAR_FORM(Api, const uint64_t mask)                                                                     \
  template <typename T, typename U>                                                                                    \
  AK_API void Api(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,          \
                  uint32_t count) {                                                                                    \
    AK_CHECK_DTYPE(Api, T);                                                                                            \
    AK_CHECK_OPERAND(Api, dst, U);                                                                                     \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_compare_scalar(#Api, dst.AkLocal(), src0.AkLocal(), akc::Raw<PrimT<T>>(src1Scalar),                         \
                          static_cast<uint8_t>(cmpMode), akc::Count(count), AK_SITE);                                  \
  }
AK_COMPARE_SCALAR(CompareScalar)
AK_COMPARE_SCALAR(Compares)
#undef AK_COMPARE_SCALAR
#undef AK_COMPARE_SCALAR_FORM

template <typename T>
AK_API void LocalTensor<T>::operator=(const SymbolOverrideCompare<float>& e) {
  AK_CHECK_OPERAND(Compare, dst, T);
  AK_VECTOR_ONLY;
  akrt_v_compare("Compare", local_, e.src0, e.src1, static_cast<uint8_t>(e.mode), akc::Count(e.src0.bytes / 4),
                 AK_SITE);
}
template <typename T>
AK_API void LocalTensor<T>::operator=(const SymbolOverrideCompare<half>& e) {
  AK_CHECK_OPERAND(Compare, dst, T);
  AK_VECTOR_ONLY;
  akrt_v_compare("Compare", local_, e.src0, e.src1, static_cast<uint8_t>(e.mode), akc::Count(e.src0.bytes / 2),
                 AK_SITE);
}

template <typename T>
AK_API void SetCmpMask(const LocalTensor<T>& src) {
  AK_VECTOR_ONLY;
  akrt_v_set_cmp_mask(src.AkLocal(), AK_SITE);
}
template <typename T>
AK_API void GetCmpMask(const LocalTensor<T>& dst) {
  AK_VECTOR_ONLY;
  akrt_v_get_cmp_mask(dst.AkLocal(), AK_SITE);
}

#define AK_SELECT(MaskType)                                                                                            \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  AK_API void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,             \
                     const LocalTensor<T>& src1, SELMODE selMode, MaskType, uint8_t repeatTime,                        \
                     const BinaryRepeatParams& repeatParams) {                                                         \
    AK_CHECK_DTYPE(Select, T);                                                                                         \
    AK_CHECK_OPERAND(Select, mask, U);                                                                                 \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_select("Select", dst.AkLocal(), selMask.AkLocal(), src0.AkLocal(), src1.AkLocal(),                          \
                  static_cast<uint8_t>(selMode), akc::Strided(akc::Masked(mask, repeatTime, true), repeatParams),      \
                  AK_SITE);                                                                                            \
  }                                                                                                                    \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  AK_API void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,     \
                     SELMODE selMode, MaskType, uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {          \
    AK_CHECK_DTYPE(Select, T);                                                                                         \
    AK_CHECK_OPERAND(Select, mask, U);                                                                                 \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_select_scalar("Select", dst.AkLocal(), selMask.AkLocal(), src0.AkLocal(), akc::Raw<PrimT<T>>(src1),         \
                         static_cast<uint8_t>(selMode),                                                                \
                         akc::Strided(akc::Masked(mask, repeatTime, true), repeatParams), AK_SITE);                    \
  }
AK_SELECT(uint64_t mask[])
AK_SELECT(uint64_t mask)
#undef AK_SELECT
template <typename T, typename U>
AK_API void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1, SELMODE selMode, uint32_t count) {
  AK_CHECK_DTYPE(Select, T);
  AK_CHECK_OPERAND(Select, mask, U);
  AK_VECTOR_ONLY;
  akrt_v_select("Select", dst.AkLocal(), selMask.AkLocal(), src0.AkLocal(), src1.AkLocal(),
                static_cast<uint8_t>(selMode), akc::Count(count), AK_SITE);
}
template <typename T, typename U>
AK_API void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
                   SELMODE selMode, uint32_t count) {
  AK_CHECK_DTYPE(Select, T);
  AK_CHECK_OPERAND(Select, mask, U);
  AK_VECTOR_ONLY;
  akrt_v_select_scalar("Select", dst.AkLocal(), selMask.AkLocal(), src0.AkLocal(), akc::Raw<PrimT<T>>(src1),
                       static_cast<uint8_t>(selMode), akc::Count(count), AK_SITE);
}
// Forms that read CMPMASK and the vector mask as they stand.
template <typename T, SELMODE selMode>
AK_API void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                   uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  AK_CHECK_DTYPE(Select, T);
  AK_VECTOR_ONLY;
  // With VSEL_TENSOR_TENSOR_MODE CMPMASK holds the address of the mask.
  akrt_v_select_register("Select", dst.AkLocal(), nullptr, src0.AkLocal(), &src1.AkLocal(),
                         static_cast<uint8_t>(selMode),
                         akc::Strided(akc::Masked(uint64_t{0}, repeatTime, false), repeatParams), AK_SITE);
}
template <typename T, typename U>
AK_API void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                   uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  AK_CHECK_DTYPE(Select, T);
  AK_CHECK_OPERAND(Select, mask, U);
  AK_VECTOR_ONLY;
  akrt_v_select_register("Select", dst.AkLocal(), &selMask.AkLocal(), src0.AkLocal(), nullptr,
                         static_cast<uint8_t>(SELMODE::VSEL_TENSOR_SCALAR_MODE),
                         akc::Strided(akc::Masked(uint64_t{0}, repeatTime, false), repeatParams), AK_SITE);
}

}  // namespace AscendC
