// Element types at compile time: their run-time tag, their size, and the checks that reject what A2 rejects.
#pragma once
#include "akrt/abi.h"
#include "ascendc/enums.h"
#include "ascendc/generated_dtypes.h"
#include "ascendc/layout.h"

namespace AscendC {

// Two signed 4-bit values a byte, the first in the low nibble. Offsets and counts are in values.
struct int4b_t {
  uint8_t pair;
};

template <typename T>
struct PrimTypeOf {
  using type = T;
};
template <typename T, TPosition pos, typename L>
struct PrimTypeOf<TensorTrait<T, pos, L>> {
  using type = T;
};
template <typename T>
using PrimT = typename PrimTypeOf<T>::type;

// True where U is the element type behind the trait T: the second template of every tensor-scalar call. It is never
// viable for a plain T, so that the address of an API stays unambiguous for every host compiler.
template <typename T, typename U>
inline constexpr bool kTraitOf = !std::is_same_v<T, U> && std::is_same_v<PrimT<T>, U>;

template <bool C, class A, class B>
struct Conditional {
  using type = A;
};
template <class A, class B>
struct Conditional<false, A, B> {
  using type = B;
};
struct TrueType {
  static constexpr bool value = true;
};
struct FalseType {
  static constexpr bool value = false;
};
template <typename T, typename U>
struct IsSameType : FalseType {};
template <typename T>
struct IsSameType<T, T> : TrueType {};

namespace akc {

template <typename T>
struct Tag;
template <>
struct Tag<half> { static constexpr akrt::DType value = akrt::DType::kFloat16; };
template <>
struct Tag<bfloat16_t> { static constexpr akrt::DType value = akrt::DType::kBfloat16; };
template <>
struct Tag<float> { static constexpr akrt::DType value = akrt::DType::kFloat32; };
template <>
struct Tag<int8_t> { static constexpr akrt::DType value = akrt::DType::kInt8; };
template <>
struct Tag<uint8_t> { static constexpr akrt::DType value = akrt::DType::kUint8; };
template <>
struct Tag<bool> { static constexpr akrt::DType value = akrt::DType::kUint8; };
template <>
struct Tag<int16_t> { static constexpr akrt::DType value = akrt::DType::kInt16; };
template <>
struct Tag<uint16_t> { static constexpr akrt::DType value = akrt::DType::kUint16; };
template <>
struct Tag<int32_t> { static constexpr akrt::DType value = akrt::DType::kInt32; };
template <>
struct Tag<uint32_t> { static constexpr akrt::DType value = akrt::DType::kUint32; };
template <>
struct Tag<int64_t> { static constexpr akrt::DType value = akrt::DType::kInt64; };
template <>
struct Tag<uint64_t> { static constexpr akrt::DType value = akrt::DType::kUint64; };
template <>
struct Tag<long long> { static constexpr akrt::DType value = akrt::DType::kInt64; };
template <>
struct Tag<unsigned long long> { static constexpr akrt::DType value = akrt::DType::kUint64; };
// DataCopy and DataCopyPad alone take double; to them it is eight bytes.
template <>
struct Tag<double> { static constexpr akrt::DType value = akrt::DType::kUint64; };
template <>
struct Tag<int4b_t> { static constexpr akrt::DType value = akrt::DType::kInt4; };

template <typename T>
inline constexpr akrt::DType kDType = Tag<PrimT<T>>::value;

// Bits of one element, and bytes of `n` of them.
template <typename T>
inline constexpr uint32_t kBits = std::is_same_v<PrimT<T>, int4b_t> ? 4 : 8 * sizeof(PrimT<T>);
template <typename T>
constexpr uint64_t Bytes(uint64_t n) {
  return n * kBits<T> / 8;
}

template <typename T, typename... Ts>
inline constexpr bool kOneOf = (std::is_same_v<T, Ts> || ...);

// A scalar argument as the runtime takes it: its bits, zero-extended.
template <typename T>
constexpr uint64_t Raw(T value) {
  if constexpr (sizeof(T) == 1) return __builtin_bit_cast(uint8_t, value);
  else if constexpr (sizeof(T) == 2) return __builtin_bit_cast(uint16_t, value);
  else if constexpr (sizeof(T) == 4) return __builtin_bit_cast(uint32_t, value);
  else return __builtin_bit_cast(uint64_t, value);
}
template <typename T>
constexpr T FromRaw(uint64_t bits) {
  if constexpr (sizeof(T) == 1) return __builtin_bit_cast(T, static_cast<uint8_t>(bits));
  else if constexpr (sizeof(T) == 2) return __builtin_bit_cast(T, static_cast<uint16_t>(bits));
  else if constexpr (sizeof(T) == 4) return __builtin_bit_cast(T, static_cast<uint32_t>(bits));
  else return __builtin_bit_cast(T, bits);
}

}  // namespace akc

// One fixed wording, which tools parse: "Ascend C <API>: <what>; legal: <list>".
#define AK_TEXT_(...) #__VA_ARGS__
#define AK_TEXT(...) AK_TEXT_(__VA_ARGS__)
#define AK_CHECK_DTYPE_AS(Api, Row, T)                                                                       \
  static_assert(::AscendC::akc::kOneOf<::AscendC::PrimT<T>, AK_DTYPES_##Row>,                                \
                "Ascend C " #Api ": dtype is not supported on Ascend 910B; legal: " AK_TEXT(AK_DTYPES_##Row))
#define AK_CHECK_DTYPE(Api, T) AK_CHECK_DTYPE_AS(Api, Api, T)
#define AK_CHECK_OPERAND(Api, operand, T)                                                                    \
  static_assert(::AscendC::akc::kOneOf<::AscendC::PrimT<T>, AK_DTYPES_##Api##_##operand>,                    \
                "Ascend C " #Api ": dtype of " #operand                                                      \
                " is not supported on Ascend 910B; legal: " AK_TEXT(AK_DTYPES_##Api##_##operand))
#define AK_PAIR_IS(D, S) (std::is_same_v<AkDst, D> && std::is_same_v<AkSrc, S>)
#define AK_PAIR_TEXT(D, S) #D "<-" #S
#define AK_CHECK_PAIR(Api, D, S)                                                                             \
  {                                                                                                          \
    using AkDst = ::AscendC::PrimT<D>;                                                                       \
    using AkSrc = ::AscendC::PrimT<S>;                                                                       \
    static_assert(AK_PAIRS_##Api(AK_PAIR_IS, ||),                                                            \
                  "Ascend C " #Api ": pair of destination and source dtypes is not supported on Ascend 910B; legal: " \
                  AK_PAIRS_##Api(AK_PAIR_TEXT, ", "));                                                       \
  }

}  // namespace AscendC
