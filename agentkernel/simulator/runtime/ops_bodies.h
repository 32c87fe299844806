// Bodies of elementwise instructions, made from a function of one element.
//
// Half is computed in float and rounded once: exact for + - * / and sqrt, since float carries more than twice the
// digits (2 * 11 + 2 <= 24).
#pragma once
#include <algorithm>

#include "ops.h"
#include "ops_numeric.h"

namespace akrt::ops {

inline constexpr size_t kChunk = 128;

// F::f(a, b, scalar-as-float) on float.
template <typename F>
void body_float(const Batch& b) {
  auto* d = static_cast<float*>(b.dst);
  const auto* x = static_cast<const float*>(b.src0);
  const auto* y = static_cast<const float*>(F::kTwo ? b.src1 : b.src0);
  const float s = std::bit_cast<float>(static_cast<uint32_t>(b.scalar));
  const size_t n = b.n;  // a local: stores may alias the batch
  AKRT_LANES
  for (size_t i = 0; i < n; ++i) d[i] = F::f(x[i], y[i], s, F::kReadsDst ? d[i] : 0.0f);
}

// The same on half: widened, computed, rounded.
template <typename F>
void body_half(const Batch& b) {
  alignas(64) float x[kChunk], y[kChunk], d[kChunk];
  const auto* in0 = static_cast<const uint16_t*>(b.src0);
  const auto* in1 = static_cast<const uint16_t*>(b.src1);
  auto* out = static_cast<uint16_t*>(b.dst);
  const float s = half_value(static_cast<uint16_t>(b.scalar));
  for (size_t at = 0; at < b.n; at += kChunk) {
    const size_t n = std::min(kChunk, b.n - at);
    half_to_float(in0 + at, x, n);
    if constexpr (F::kTwo) half_to_float(in1 + at, y, n);
    if constexpr (F::kReadsDst) half_to_float(out + at, d, n);
    AKRT_LANES
    for (size_t i = 0; i < n; ++i) d[i] = F::h(x[i], F::kTwo ? y[i] : 0.0f, s, F::kReadsDst ? d[i] : 0.0f);
    float_to_half(d, out + at, n, b.saturate);
  }
}

// Integers: F::template f<T>(a, b, scalar, saturate).
template <typename T, typename F>
void body_int(const Batch& b) {
  auto* d = static_cast<T*>(b.dst);
  const auto* x = static_cast<const T*>(b.src0);
  const auto* y = static_cast<const T*>(F::kTwo ? b.src1 : b.src0);
  const T s = static_cast<T>(b.scalar);
  const size_t n = b.n;
  if (b.saturate) {
    AKRT_LANES
    for (size_t i = 0; i < n; ++i) d[i] = F::template f<T, true>(x[i], y[i], s);
  } else {
    AKRT_LANES
    for (size_t i = 0; i < n; ++i) d[i] = F::template f<T, false>(x[i], y[i], s);
  }
}

// Array functions (exp, ln, ...), on float and on half.
template <void (*F)(const float*, float*, size_t)>
void body_array_float(const Batch& b) {
  F(static_cast<const float*>(b.src0), static_cast<float*>(b.dst), b.n);
}
template <void (*F)(const float*, float*, size_t)>
void body_array_half(const Batch& b) {
  alignas(64) float x[kChunk];
  for (size_t at = 0; at < b.n; at += kChunk) {
    const size_t n = std::min(kChunk, b.n - at);
    half_to_float(static_cast<const uint16_t*>(b.src0) + at, x, n);
    F(x, x, n);
    float_to_half(x, static_cast<uint16_t*>(b.dst) + at, n, b.saturate);
  }
}

// max and min of the vector unit: NaN wins, and zeros are ordered by sign.
inline float vector_max(float a, float b) {
  const float equal = std::bit_cast<float>(std::bit_cast<uint32_t>(a) & std::bit_cast<uint32_t>(b));
  const float larger = a > b ? a : b;
  const float r = a == b ? equal : larger;
  return a != a || b != b ? __builtin_nanf("") : r;
}
inline float vector_min(float a, float b) {
  const float equal = std::bit_cast<float>(std::bit_cast<uint32_t>(a) | std::bit_cast<uint32_t>(b));
  const float smaller = a < b ? a : b;
  const float r = a == b ? equal : smaller;
  return a != a || b != b ? __builtin_nanf("") : r;
}
inline float relu(float a) { return a > 0 ? a : a != a ? a : 0.0f; }

}  // namespace akrt::ops
