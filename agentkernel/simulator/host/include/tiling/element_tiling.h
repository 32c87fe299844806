// Host side of the element-wise functions: scratch in bytes, and how many rows of the data's type live at a time.
//
// Published are only the numbers of Sigmoid and that a function handles whole repeats of 256 bytes. The others are taken
// to keep two rows of floats beside their operands, so that a program that cuts its tiles by them always fits.
#pragma once
#include <algorithm>
#include <cstdint>

#include "tiling/library_structs.h"
#include "tiling/platform/platform_ascendc.h"

namespace akshared {

constexpr uint32_t kRepeatBytes = 256;

constexpr uint32_t live_rows(uint32_t type_size) { return type_size == 0 ? 0 : std::max(1u, 8 / type_size); }
inline uint32_t elements_of(const ge::Shape& shape) {
  return static_cast<uint32_t>(std::max<int64_t>(0, shape.GetShapeSize()));
}
inline void element_range(const ge::Shape& shape, uint32_t type_size, uint32_t rows, uint32_t& most, uint32_t& least) {
  least = rows * kRepeatBytes;
  most = std::max(least, rows * whole_blocks(uint64_t{elements_of(shape)} * type_size));
}

}  // namespace akshared

namespace AscendC {

#define AK_RANGE(Name)                                                                                     \
  inline void Get##Name##MaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool,      \
                                       uint32_t& maxValue, uint32_t& minValue) {                           \
    akshared::element_range(srcShape, typeSize, akshared::live_rows(typeSize), maxValue, minValue);        \
  }
#define AK_FACTOR(Name)                                                                                    \
  inline void Get##Name##TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount,           \
                                             uint32_t& extraBuf) {                                         \
    maxLiveNodeCount = akshared::live_rows(typeSize);                                                      \
    extraBuf = 0;                                                                                          \
  }
#define AK_BOTH(Name) AK_RANGE(Name) AK_FACTOR(Name)

AK_BOTH(Acos)
AK_BOTH(Acosh)
AK_BOTH(Asin)
AK_BOTH(Asinh)
AK_BOTH(Atan)
AK_BOTH(Atanh)
AK_BOTH(Axpy)
AK_BOTH(Ceil)
AK_BOTH(Clamp)  // ClampMax and ClampMin
AK_BOTH(Cos)
AK_BOTH(Cosh)
AK_BOTH(Digamma)
AK_BOTH(Erf)
AK_BOTH(Erfc)
AK_BOTH(Floor)
AK_BOTH(Fmod)
AK_BOTH(Frac)
AK_BOTH(GeGLU)
AK_BOTH(Lgamma)
AK_BOTH(Log)
AK_BOTH(Log10)
AK_BOTH(Log2)
AK_BOTH(Sign)
AK_BOTH(Sin)
AK_BOTH(Sinh)
AK_BOTH(Tan)
AK_BOTH(Tanh)
AK_BOTH(Trunc)
AK_BOTH(Xor)
AK_FACTOR(Exp)
AK_FACTOR(SwiGLU)
AK_RANGE(ReGlu)
AK_RANGE(ReduceXorSum)
#undef AK_BOTH
#undef AK_FACTOR
#undef AK_RANGE

inline bool GetExpMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                uint32_t& minValue) {
  akshared::element_range(srcShape, typeSize, akshared::live_rows(typeSize), maxValue, minValue);
  return akshared::elements_of(srcShape) != 0;
}
// Documented: one repeat, and up to all elements.
inline void GetSigmoidMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                    uint32_t& minValue) {
  minValue = akshared::kRepeatBytes;
  maxValue = std::max(minValue, akshared::elements_of(srcShape) * typeSize);
}
inline void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape& srcShape,
                                  const uint32_t typeSize, const bool, uint32_t& maxValue, uint32_t& minValue) {
  akshared::element_range(srcShape, typeSize, akshared::live_rows(typeSize), maxValue, minValue);
}
inline void GetRoundTmpBufferFactorSize(const platform_ascendc::PlatformAscendC&, const uint32_t typeSize,
                                        uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
  maxLiveNodeCount = akshared::live_rows(typeSize);
  extraBuf = 0;
}
inline void GetSwiGLUMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                   uint32_t& minValue, const bool) {
  akshared::element_range(srcShape, typeSize, akshared::live_rows(typeSize), maxValue, minValue);
}
inline void GetSiluTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                           uint32_t& minValue) {
  akshared::element_range(srcShape, typeSize, akshared::live_rows(typeSize), maxValue, minValue);
}
inline void GetSwishTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                            uint32_t& maxValue, uint32_t& minValue) {
  GetSiluTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue);
}
inline void GetGeluMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                 uint32_t& minValue) {
  akshared::element_range(srcShape, typeSize, akshared::live_rows(typeSize), maxValue, minValue);
}
inline uint32_t GetGeluMaxTmpSize(const ge::Shape& srcShape, const uint32_t typeSize) {
  uint32_t most = 0, least = 0;
  GetGeluMaxMinTmpSize(srcShape, typeSize, most, least);
  return most;
}
inline uint32_t GetGeluMinTmpSize(const ge::Shape&, const uint32_t typeSize) {
  return akshared::live_rows(typeSize) * akshared::kRepeatBytes;
}
// Where one operand is a scalar its shape has one element.
inline void GetPowerMaxMinTmpSize(const ge::Shape& srcShape1, const ge::Shape& srcShape2, const bool,
                                  const uint32_t typeSize, const bool, uint32_t& maxValue, uint32_t& minValue) {
  const bool first = akshared::elements_of(srcShape1) >= akshared::elements_of(srcShape2);
  akshared::element_range(first ? srcShape1 : srcShape2, typeSize, akshared::live_rows(typeSize), maxValue, minValue);
}
inline void GetPowerTmpBufferFactorSize(const bool, const bool, const bool, const uint32_t typeSize,
                                        uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  maxLiveNodeCount = akshared::live_rows(typeSize);
  extraBuffer = 0;
}
// They keep nothing beside their result.
inline void GetArangeMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) { maxValue = minValue = 0; }
inline void GetArithProgressionMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) { maxValue = minValue = 0; }

}  // namespace AscendC
