// Vector libraries, elementwise: activations, mathematical functions, rounding, Arange.
//
// Forms come with and without sharedTmpBuffer (without it the library takes the free end of UB) and with and without
// calCount (without it the whole source).
#pragma once
#include "akrt/abi_lib.h"
#include "ascendc/system.h"

namespace AscendC {

// Configurations: on this chip every choice computes the same values.
struct TanhConfig {};
inline constexpr TanhConfig DEFAULT_TANH_CONFIG{};
struct AtanConfig {};
inline constexpr AtanConfig defaultAtanConfig{};
struct CosConfig {};
inline constexpr CosConfig defaultCosConfig{};
struct SinConfig {};
inline constexpr SinConfig defaultSinConfig{};
struct ErfConfig {};
inline constexpr ErfConfig defaultErfConfig{};
struct FmodConfig {};
inline constexpr FmodConfig DEFAULT_FMOD_CONFIG{};
struct PowerConfig {};
inline constexpr PowerConfig defaultPowerConfig{};

#define AK_HEAD_Plain template <typename T, bool isReuseSource = false>
#define AK_HEAD_Tanh template <typename T, bool isReuseSource = false, const TanhConfig& config = DEFAULT_TANH_CONFIG>
#define AK_HEAD_Atan template <typename T, bool isReuseSource = false, const AtanConfig& config = defaultAtanConfig>
#define AK_HEAD_Cos template <typename T, bool isReuseSource = false, const CosConfig& config = defaultCosConfig>
#define AK_HEAD_Sin template <typename T, bool isReuseSource = false, const SinConfig& config = defaultSinConfig>
#define AK_HEAD_Erf template <typename T, bool isReuseSource = false, const ErfConfig& config = defaultErfConfig>
#define AK_HEAD_Fmod template <typename T, bool isReuseSource = false, const FmodConfig& config = DEFAULT_FMOD_CONFIG>
#define AK_HEAD_Power template <typename T, bool isReuseSource = false, const PowerConfig& config = defaultPowerConfig>
#define AK_HEAD_Gelu template <typename T, bool highPrecision = false, bool highPerformance = false>
#define AK_TMP &sharedTmpBuffer.AkLocal()

// ---- one source -----------------------------------------------------------------------------------------------------
#define AK_ONE_SOURCE(Api, Kind, Precise, Tmp, Count, ...)                                                  \
  AK_HEAD_##Kind AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src __VA_ARGS__) {        \
    AK_CHECK_DTYPE(Api, T);                                                                                 \
    AK_VECTOR_ONLY;                                                                                         \
    akrt_l_elements({akrt::LibOp::k##Api, #Api, AK_SITE, Count, Tmp, Precise}, dst.AkLocal(), src.AkLocal(), nullptr); \
  }
#define AK_ONE_COUNTED(Api, Kind, Precise)                                        \
  AK_ONE_SOURCE(Api, Kind, Precise, nullptr, calCount, , const uint32_t calCount) \
  AK_ONE_SOURCE(Api, Kind, Precise, AK_TMP, calCount, , const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount)
#define AK_ONE_FULL(Api, Kind)                                     \
  AK_ONE_COUNTED(Api, Kind, false)                                 \
  AK_ONE_SOURCE(Api, Kind, false, nullptr, src.GetSize(), )        \
  AK_ONE_SOURCE(Api, Kind, false, AK_TMP, src.GetSize(), , const LocalTensor<uint8_t>& sharedTmpBuffer)
#define AK_ONE_BARE(Api)                                                     \
  AK_ONE_SOURCE(Api, Plain, false, nullptr, src.GetSize(), )                 \
  AK_ONE_SOURCE(Api, Plain, false, nullptr, calCount, , uint32_t calCount)

AK_ONE_FULL(Tanh, Tanh)
AK_ONE_FULL(Sigmoid, Plain)
AK_ONE_FULL(Sin, Sin)
AK_ONE_FULL(Cos, Cos)
AK_ONE_FULL(Tan, Plain)
AK_ONE_FULL(Sinh, Plain)
AK_ONE_FULL(Cosh, Plain)
AK_ONE_FULL(Asin, Plain)
AK_ONE_FULL(Acos, Plain)
AK_ONE_FULL(Atan, Atan)
AK_ONE_FULL(Asinh, Plain)
AK_ONE_FULL(Acosh, Plain)
AK_ONE_FULL(Atanh, Plain)
AK_ONE_FULL(Erf, Erf)
AK_ONE_FULL(Erfc, Plain)
AK_ONE_FULL(Sign, Plain)
AK_ONE_FULL(Trunc, Plain)
AK_ONE_FULL(Frac, Plain)
AK_ONE_FULL(Log2, Plain)
AK_ONE_BARE(Log)
AK_ONE_BARE(Log10)
AK_ONE_COUNTED(Floor, Plain, false)
AK_ONE_COUNTED(Ceil, Plain, false)
AK_ONE_COUNTED(Round, Plain, false)
AK_ONE_COUNTED(Lgamma, Plain, false)
AK_ONE_SOURCE(Digamma, Plain, false, nullptr, calCount, , const uint32_t calCount)
AK_ONE_SOURCE(Digamma, Plain, false, AK_TMP, calCount, , LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount)
// highPrecision is for half alone.
AK_ONE_COUNTED(Gelu, Gelu, highPrecision)
AK_ONE_COUNTED(FasterGelu, Gelu, highPrecision)
AK_ONE_COUNTED(FasterGeluV2, Gelu, highPrecision)
AK_ONE_SOURCE(Silu, Plain, false, nullptr, dataSize, , uint32_t dataSize)
#undef AK_ONE_BARE
#undef AK_ONE_FULL
#undef AK_ONE_COUNTED
#undef AK_ONE_SOURCE

// ---- one source and a scalar ------------------------------------------------------------------------------------------
template <typename T, bool isReuseSource = false>
AK_API void Swish(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t dataSize, const T scalarValue) {
  AK_CHECK_DTYPE(Swish, T);
  AK_VECTOR_ONLY;
  akrt_l_elements({akrt::LibOp::kSwish, "Swish", AK_SITE, dataSize, nullptr, false, static_cast<float>(scalarValue)},
                  dst.AkLocal(), src.AkLocal(), nullptr);
}
#define AK_CLAMP(Api, Tmp, ...)                                                                                         \
  template <typename T, bool isReuseSource = false>                                                                     \
  AK_API void Api(const LocalTensor<T>& dst, const LocalTensor<T>& src, __VA_ARGS__ const T scalar, const uint32_t calCount) { \
    AK_CHECK_DTYPE(Api, T);                                                                                             \
    AK_VECTOR_ONLY;                                                                                                     \
    akrt_l_elements({akrt::LibOp::k##Api, #Api, AK_SITE, calCount, Tmp, false, static_cast<float>(scalar)},             \
                    dst.AkLocal(), src.AkLocal(), nullptr);                                                             \
  }
AK_CLAMP(ClampMax, nullptr, )
AK_CLAMP(ClampMax, AK_TMP, const LocalTensor<uint8_t>& sharedTmpBuffer, )
AK_CLAMP(ClampMin, nullptr, )
AK_CLAMP(ClampMin, AK_TMP, const LocalTensor<uint8_t>& sharedTmpBuffer, )
#undef AK_CLAMP
#define AK_TAYLOR(Tmp, ...)                                                                                   \
  template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>                                \
  AK_API void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, __VA_ARGS__ const uint32_t calCount) { \
    AK_CHECK_DTYPE(Exp, T);                                                                                   \
    AK_VECTOR_ONLY;                                                                                           \
    akrt_l_elements({akrt::LibOp::kExp, "Exp", AK_SITE, calCount, Tmp, false, taylorExpandLevel},             \
                    dst.AkLocal(), src.AkLocal(), nullptr);                                                   \
  }
AK_TAYLOR(nullptr, )
AK_TAYLOR(AK_TMP, const LocalTensor<uint8_t>& sharedTmpBuffer, )
#undef AK_TAYLOR
template <typename T, typename U, bool isReuseSource = false>
AK_API void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U scalarValue,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount) {
  AK_CHECK_PAIR(Axpy, T, U);
  AK_VECTOR_ONLY;
  akrt_l_elements({akrt::LibOp::kAxpy, "Axpy", AK_SITE, calCount, AK_TMP, false, static_cast<float>(scalarValue)},
                  dst.AkLocal(), src.AkLocal(), nullptr);
}

// ---- two sources --------------------------------------------------------------------------------------------------------
#define AK_TWO_SOURCES(Api, Kind, Ref, Scalar, Tmp, Count, ...)                                                   \
  AK_HEAD_##Kind AK_API void Api(Ref LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1 __VA_ARGS__) { \
    AK_CHECK_DTYPE(Api, T);                                                                                       \
    AK_VECTOR_ONLY;                                                                                               \
    akrt_l_elements({akrt::LibOp::k##Api, #Api, AK_SITE, Count, Tmp, false, Scalar}, dst.AkLocal(), src0.AkLocal(), \
                    &src1.AkLocal());                                                                             \
  }
#define AK_TWO_COUNTED(Api, Kind)                                                        \
  AK_TWO_SOURCES(Api, Kind, const, 0, nullptr, calCount, , const uint32_t calCount)      \
  AK_TWO_SOURCES(Api, Kind, const, 0, AK_TMP, calCount, , const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount)
#define AK_TWO_FULL(Api, Kind)                                             \
  AK_TWO_COUNTED(Api, Kind)                                                \
  AK_TWO_SOURCES(Api, Kind, const, 0, nullptr, src0.GetSize(), )           \
  AK_TWO_SOURCES(Api, Kind, const, 0, AK_TMP, src0.GetSize(), , const LocalTensor<uint8_t>& sharedTmpBuffer)

AK_TWO_FULL(Fmod, Fmod)
AK_TWO_FULL(Xor, Plain)
AK_TWO_FULL(GeGLU, Plain)
AK_TWO_COUNTED(ReGlu, Plain)
AK_TWO_SOURCES(SwiGLU, Plain, , scalarValue, nullptr, src0.GetSize(), , const float& scalarValue)
AK_TWO_SOURCES(SwiGLU, Plain, , scalarValue, nullptr, calCount, , const float& scalarValue, const uint32_t calCount)
AK_TWO_SOURCES(SwiGLU, Plain, , scalarValue, AK_TMP, src0.GetSize(), , const float& scalarValue, const LocalTensor<uint8_t>& sharedTmpBuffer)
AK_TWO_SOURCES(SwiGLU, Plain, , scalarValue, AK_TMP, calCount, , const float& scalarValue, const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount)
#undef AK_TWO_FULL
#undef AK_TWO_COUNTED
#undef AK_TWO_SOURCES

namespace akc {
template <typename T>
int32_t WholeOf(T value) {
  if constexpr (std::is_same_v<T, int32_t>) return value;
  else return 0;
}
}  // namespace akc
#define AK_DTYPES_Power half, float, int32_t
#define AK_POWER(Op, First, Second, Src0, Src1, Scalar, Tmp, Count, ...)                                            \
  AK_HEAD_Power AK_API void Power(const LocalTensor<T>& dst, First, Second __VA_ARGS__) {                           \
    AK_CHECK_DTYPE(Power, T);                                                                                       \
    AK_VECTOR_ONLY;                                                                                                 \
    akrt_l_elements({akrt::LibOp::Op, "Power", AK_SITE, Count, Tmp, false, static_cast<float>(Scalar),              \
                     akc::WholeOf<PrimT<T>>(Scalar)},                                                               \
                    dst.AkLocal(), Src0, Src1);                                                                     \
  }
#define AK_POWERS(Op, First, Second, Src0, Src1, Scalar, Size)                                                      \
  AK_POWER(Op, First, Second, Src0, Src1, Scalar, nullptr, Size, )                                                  \
  AK_POWER(Op, First, Second, Src0, Src1, Scalar, nullptr, calCount, , uint32_t calCount)                           \
  AK_POWER(Op, First, Second, Src0, Src1, Scalar, AK_TMP, Size, , const LocalTensor<uint8_t>& sharedTmpBuffer)      \
  AK_POWER(Op, First, Second, Src0, Src1, Scalar, AK_TMP, calCount, , const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount)
AK_POWERS(kPower, const LocalTensor<T>& src0, const LocalTensor<T>& src1, src0.AkLocal(), &src1.AkLocal(), PrimT<T>(0), src0.GetSize())
AK_POWERS(kPowerBase, const LocalTensor<T>& src0, const T& scalar, src0.AkLocal(), nullptr, scalar, src0.GetSize())
AK_POWERS(kPowerExponent, const T& scalar, const LocalTensor<T>& src1, src1.AkLocal(), nullptr, scalar, src1.GetSize())
#undef AK_POWERS
#undef AK_POWER

// ---- arithmetic sequences ---------------------------------------------------------------------------------------------
#define AK_ARANGE(Api)                                                                                             \
  template <typename T>                                                                                            \
  AK_API void Api(const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count) {         \
    AK_CHECK_DTYPE(Api, T);                                                                                        \
    AK_VECTOR_ONLY;                                                                                                \
    akrt_l_arange(#Api, dst.AkLocal(), akc::Raw<PrimT<T>>(firstValue), akc::Raw<PrimT<T>>(diffValue), count, AK_SITE); \
  }
AK_ARANGE(Arange)
AK_ARANGE(ArithProgression)
#undef AK_ARANGE
#undef AK_HEAD_Plain
#undef AK_HEAD_Tanh
#undef AK_HEAD_Atan
#undef AK_HEAD_Cos
#undef AK_HEAD_Sin
#undef AK_HEAD_Erf
#undef AK_HEAD_Fmod
#undef AK_HEAD_Power
#undef AK_HEAD_Gelu

}  // namespace AscendC
