// Conversions between element types, in tensors and in scalars, and the fills.
#pragma once
#include "ascendc/walk.h"

namespace AscendC {

#define AK_CAST(MaskType)                                                                                              \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  AK_API void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, MaskType,         \
                   const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {                                  \
    AK_CHECK_PAIR(Cast, T, U);                                                                                         \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt_v_cast("Cast", dst.AkLocal(), src.AkLocal(), static_cast<uint8_t>(roundMode),                                 \
                akc::Strided(akc::Masked(mask, repeatTime, isSetMask), repeatParams), AK_SITE);                        \
  }
AK_CAST(const uint64_t mask[])
AK_CAST(const uint64_t mask)
#undef AK_CAST
template <typename T, typename U>
AK_API void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
                 const uint32_t count) {
  AK_CHECK_PAIR(Cast, T, U);
  AK_VECTOR_ONLY;
  akrt_v_cast("Cast", dst.AkLocal(), src.AkLocal(), static_cast<uint8_t>(roundMode), akc::Count(count), AK_SITE);
}

// int32_t -> half multiplies by the factor of SetDeqScale; int16_t -> 8 bits by a scale, and adds an offset.
namespace akc {
template <typename T, typename U, bool isVecDeq, bool halfBlock>
void CastDeqAs(const char* api, const LocalTensor<T>& dst, const LocalTensor<U>& src, const akrt::Walk& walk, akrt::Site site) {
  if constexpr (std::is_same_v<PrimT<U>, int32_t>)
    akrt_v_cast(api, dst.AkLocal(), src.AkLocal(), static_cast<uint8_t>(RoundMode::CAST_NONE), walk, site);
  else
    akrt_v_cast_deq(api, dst.AkLocal(), src.AkLocal(), isVecDeq, halfBlock, walk, site);
}
}  // namespace akc
#define AK_CAST_DEQ_FORM(Api, MaskType, WalkOf)                                                                       \
  template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>               \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<U>& src, MaskType, uint8_t repeatTime,                 \
                  const UnaryRepeatParams& repeatParams) {                                                            \
    AK_CHECK_PAIR(Api, T, U);                                                                                         \
    AK_VECTOR_ONLY;                                                                                                   \
    akc::CastDeqAs<T, U, isVecDeq, halfBlock>(                                                                        \
        #Api, dst, src, akc::Strided(WalkOf(mask, repeatTime, isSetMask), repeatParams), AK_SITE);                    \
  }
#define AK_CAST_DEQ(Api)                                                                                              \
  AK_CAST_DEQ_FORM(Api, const uint64_t mask[], akc::Masked)                                                           \
  AK_CAST_DEQ_FORM(Api, const int32_t mask, akc::MaskedInt)                                                           \
  template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>                                      \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint32_t count) {                       \
    AK_CHECK_PAIR(Api, T, U);                                                                                         \
    AK_VECTOR_ONLY;                                                                                                   \
    akc::CastDeqAs<T, U, isVecDeq, halfBlock>(#Api, dst, src, akc::Count(count), AK_SITE);                            \
  }
AK_CAST_DEQ(CastDeq)
AK_CAST_DEQ(CastDequant)
#undef AK_CAST_DEQ
#undef AK_CAST_DEQ_FORM

// The factor of the int32 -> half conversion.
inline void SetDeqScale(half scale) { akrt_set_deqscale(akc::Raw<half>(scale)); }
namespace akc {
// As the register has it: a float with 10 bits of mantissa, 9 bits of offset, a bit for signed results.
inline uint64_t DeqEntry(float scale, int16_t offset, bool signMode) {
  const uint64_t bits = Raw<float>(scale) & 0xffffe000u;
  return bits | (static_cast<uint64_t>(offset) & 0x1ff) << 37 | static_cast<uint64_t>(signMode) << 46;
}
}  // namespace akc
inline void SetDeqScale(float scale, int16_t offset, bool signMode) {
  akrt_set_deqscale(akc::DeqEntry(scale, offset, signMode));
}
// Writes the 16 entries into the tensor, one by one, and keeps its address.
template <typename T>
AK_API void SetDeqScale(const LocalTensor<T>& vdeq, const VdeqInfo& vdeqInfo) {
  AK_VECTOR_ONLY;
  akrt::Local tensor = vdeq.AkLocal();
  for (int i = 0; i < 16; ++i)
    akrt_local_set(tensor, 8 * i, 8, akc::DeqEntry(vdeqInfo.vdeqScale[i], vdeqInfo.vdeqOffset[i], vdeqInfo.vdeqSignMode[i]),
                   "SetDeqScale", AK_SITE);
  akrt_set_deqscale(1ull << 63 | tensor.addr);
}

inline float ToFloat(const bfloat16_t& value) { return value.Value(); }
inline bfloat16_t ToBfloat16(const float& value) { return bfloat16_t(value); }
inline bfloat16_t Cast(const float& value) { return bfloat16_t(value); }
inline float Cast(const bfloat16_t& value) { return value.Value(); }

template <typename T, typename U, RoundMode roundMode>
U ScalarCast(T value) {
  static_assert(std::is_same_v<T, float> && (std::is_same_v<U, half> || std::is_same_v<U, int32_t>),
                "Ascend C ScalarCast: conversion is not supported on Ascend 910B; legal: half<-float, int32_t<-float");
  return akc::FromRaw<U>(akrt_s_cast(value, std::is_same_v<U, half>, static_cast<uint8_t>(roundMode)));
}
template <typename T, typename U, RoundMode roundMode>
U Cast(T value) {
  return ScalarCast<T, U, roundMode>(value);
}

#define AK_DUPLICATE(MaskType)                                                                                         \
  template <typename T, bool isSetMask = true>                                                                         \
  AK_API void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, MaskType, const uint8_t repeatTime,           \
                        const uint16_t dstBlockStride, const uint8_t dstRepeatStride) {                                \
    AK_CHECK_DTYPE(Duplicate, T);                                                                                      \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt::Walk walk = akc::Masked(mask, repeatTime, isSetMask);                                                        \
    walk.block[0] = dstBlockStride;                                                                                    \
    walk.stride[0] = dstRepeatStride;                                                                                  \
    akrt_v_duplicate("Duplicate", dst.AkLocal(), akc::Raw<PrimT<T>>(scalarValue), walk, AK_SITE);                      \
  }
AK_DUPLICATE(uint64_t mask)
AK_DUPLICATE(uint64_t mask[])
#undef AK_DUPLICATE
template <typename T>
AK_API void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t& count) {
  AK_CHECK_DTYPE(Duplicate, T);
  AK_VECTOR_ONLY;
  akrt_v_duplicate("Duplicate", dst.AkLocal(), akc::Raw<PrimT<T>>(scalarValue), akc::Count(count), AK_SITE);
}

#define AK_VEC_INDEX(MaskType)                                                                                         \
  template <typename T>                                                                                                \
  AK_API void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, MaskType, uint8_t repeatTime,                   \
                             uint16_t dstBlkStride, uint8_t dstRepStride) {                                            \
    AK_CHECK_DTYPE(CreateVecIndex, T);                                                                                 \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt::Walk walk = akc::Masked(mask, repeatTime, true);                                                             \
    walk.block[0] = dstBlkStride;                                                                                      \
    walk.stride[0] = dstRepStride;                                                                                     \
    akrt_v_vec_index("CreateVecIndex", dst.AkLocal(), akc::Raw<PrimT<T>>(firstValue), walk, AK_SITE);                  \
  }
AK_VEC_INDEX(uint64_t mask)
AK_VEC_INDEX(uint64_t mask[])
#undef AK_VEC_INDEX
template <typename T>
AK_API void CreateVecIndex(LocalTensor<T> dst, const T& firstValue, uint32_t count) {
  AK_CHECK_DTYPE(CreateVecIndex, T);
  AK_VECTOR_ONLY;
  akrt_v_vec_index("CreateVecIndex", dst.AkLocal(), akc::Raw<PrimT<T>>(firstValue), akc::Count(count), AK_SITE);
}

#define AK_COPY(MaskType)                                                                                              \
  template <typename T, bool isSetMask = true>                                                                         \
  AK_API void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, MaskType, const uint8_t repeatTime,           \
                   const CopyRepeatParams& repeatParams) {                                                             \
    AK_CHECK_DTYPE(Copy, T);                                                                                           \
    AK_VECTOR_ONLY;                                                                                                    \
    akrt::Walk walk = akc::Strided(akc::Masked(mask, repeatTime, isSetMask), repeatParams.dstRepeatSize,               \
                                   repeatParams.srcStride, repeatParams.srcRepeatSize);                                \
    walk.block[0] = repeatParams.dstStride;                                                                            \
    akrt_v_copy("Copy", dst.AkLocal(), src.AkLocal(), walk, AK_SITE);                                                  \
  }
AK_COPY(const uint64_t mask[])
AK_COPY(const uint64_t mask)
#undef AK_COPY

template <typename T>
AK_API void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint8_t repeatTime,
                 const BrcbRepeatParams& repeatParams) {
  AK_CHECK_DTYPE(Brcb, T);
  AK_VECTOR_ONLY;
  akrt::Walk walk;
  walk.form = akrt::Walk::kFirst;
  walk.repeat = repeatTime;
  walk.block[0] = repeatParams.dstBlkStride;
  walk.stride[0] = repeatParams.dstRepStride;
  akrt_v_brcb("Brcb", dst.AkLocal(), src.AkLocal(), walk, AK_SITE);
}

}  // namespace AscendC
