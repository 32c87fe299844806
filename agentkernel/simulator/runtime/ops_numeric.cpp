#include "ops_numeric.h"

#include <cmath>

#include "ops.h"
#ifdef __F16C__
#include <immintrin.h>
#endif

namespace akrt::ops {

namespace {

constexpr float kHalfMax = 65504.0f;

// Rounds the magnitude of a float to half by integer arithmetic. `mode` is resolved for the sign already: 0 down,
// 1 nearest even, 2 up, 3 nearest away, 4 odd.
enum class Magnitude : uint8_t { kDown, kEven, kUp, kAway, kOdd };

Magnitude for_sign(Round mode, bool negative) {
  switch (mode) {
    case Round::kFloor: return negative ? Magnitude::kUp : Magnitude::kDown;
    case Round::kCeil: return negative ? Magnitude::kDown : Magnitude::kUp;
    case Round::kRound: return Magnitude::kAway;
    case Round::kTrunc: return Magnitude::kDown;
    case Round::kOdd: return Magnitude::kOdd;
    default: return Magnitude::kEven;
  }
}

// value >> shift, rounded.
uint64_t shift_round(uint64_t value, unsigned shift, Magnitude how) {
  if (shift == 0) return value;
  if (shift > 63) {
    const bool any = value != 0;
    return any && (how == Magnitude::kUp || how == Magnitude::kOdd) ? 1 : 0;
  }
  const uint64_t kept = value >> shift;
  const uint64_t rest = value & ((1ull << shift) - 1);
  const uint64_t half = 1ull << (shift - 1);
  switch (how) {
    case Magnitude::kDown: return kept;
    case Magnitude::kUp: return kept + (rest != 0);
    case Magnitude::kAway: return kept + (rest >= half);
    case Magnitude::kOdd: return rest != 0 ? kept | 1 : kept;
    case Magnitude::kEven: break;
  }
  return kept + (rest > half || (rest == half && (kept & 1) != 0));
}

}  // namespace

uint16_t half_bits(float value, Round mode) {
  const uint32_t raw = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(raw >> 16 & 0x8000u);
  const uint32_t magnitude = raw & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
  if (magnitude == 0x7f800000u) return static_cast<uint16_t>(sign | 0x7c00u);
  const Magnitude how = for_sign(mode, sign != 0);
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  uint64_t bits = 0;
  if (exponent >= -14) {
    // Normal: exponent and fraction round as one number.
    if (exponent > 15) return static_cast<uint16_t>(sign | 0x7c00u);
    bits = shift_round((static_cast<uint64_t>(exponent + 15) << 23) | (magnitude & 0x7fffffu), 13, how);
  } else {
    const uint64_t significand = magnitude < 0x800000u ? magnitude : (magnitude & 0x7fffffu) | 0x800000u;
    const int scale = magnitude < 0x800000u ? -126 : exponent;
    bits = shift_round(significand, static_cast<unsigned>(-1 - scale), how);  // units of 2^-24: 23 - 24 - scale
  }
  return static_cast<uint16_t>(sign | (bits >= 0x7c00u ? 0x7c00u : bits));
}

uint16_t half_from_double(double value) {
  // Round to odd in float keeps what a second rounding needs to know.
  auto nearest = static_cast<float>(value);
  if (std::isfinite(value) && static_cast<double>(nearest) != value) {
    uint32_t raw = std::bit_cast<uint32_t>(nearest);
    if (std::isinf(nearest)) return half_bits(nearest);
    const bool too_far = std::fabs(static_cast<double>(nearest)) > std::fabs(value);
    if (too_far) --raw;
    nearest = std::bit_cast<float>(raw | 1u);
  }
  return half_bits(nearest);
}

uint16_t bfloat16_bits(float value, Round mode) {
  const uint32_t raw = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(raw >> 16 & 0x8000u);
  const uint32_t magnitude = raw & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7fc0u);
  return static_cast<uint16_t>(sign | shift_round(magnitude, 16, for_sign(mode, sign != 0)));
}

float round_float(float value, Round mode) {
  switch (mode) {
    case Round::kFloor: return std::floor(value);
    case Round::kCeil: return std::ceil(value);
    case Round::kTrunc: return std::trunc(value);
    case Round::kRound: {
      const float whole = std::trunc(value);
      return std::fabs(value - whole) >= 0.5f ? whole + std::copysign(1.0f, value) : whole;
    }
    default: return std::nearbyint(value);
  }
}

float float_from_integer(bool negative, uint64_t magnitude, Round mode) {
  if (magnitude == 0) return 0.0f;
  const int top = 63 - std::countl_zero(magnitude);
  uint64_t kept = magnitude;
  int exponent = 0;
  if (top > 23) {
    exponent = top - 23;
    kept = shift_round(magnitude, static_cast<unsigned>(exponent), for_sign(mode, negative));
  }
  const float value = std::ldexp(static_cast<float>(kept), exponent);  // kept <= 2^24: exact
  return negative ? -value : value;
}

float half_value(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = bits >> 10 & 0x1fu;
  const uint32_t fraction = bits & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float value = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -value : value;
}

void half_to_float(const uint16_t* in, float* out, size_t n) {
  size_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i))));
#endif
  for (; i < n; ++i) out[i] = half_value(in[i]);
}

void float_to_half(const float* in, uint16_t* out, size_t n, bool saturate) {
  if (saturate) {
    for (size_t i = 0; i < n; ++i) {
      const float x = in[i] != in[i] ? 0.0f : std::fmin(std::fmax(in[i], -kHalfMax), kHalfMax);
      out[i] = half_bits(x);
    }
    return;
  }
  size_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#endif
  for (; i < n; ++i) out[i] = half_bits(in[i]);
}

float add_to_odd(float a, float b) {
  const float sum = a + b;
  const float from_a = sum - b;
  const float from_b = sum - from_a;
  const float error = (a - from_a) + (b - from_b);
  uint32_t raw = std::bit_cast<uint32_t>(sum);
  if (!(error > 0 || error < 0)) return sum;  // exact, or not finite
  if ((error < 0) == (sum > 0)) --raw;        // the sum was rounded away from zero
  return std::bit_cast<float>(raw | 1u);
}

// exp(x) = 2^k exp(r), |r| <= ln2 / 2, in double: the only rounding that shows is the last one, to float. A Taylor
// polynomial of degree 9 leaves a relative error below 2^-39.
void exp_float(const float* in, float* out, size_t n) {
  constexpr double kMagic = 0x1.8p52;
  AKRT_LANES
  for (size_t i = 0; i < n; ++i) {
    double x = in[i];
    x = x < -104.0 ? -104.0 : x;  // exp(-104) rounds to 0
    x = x > 89.0 ? 89.0 : x;      // exp(89) rounds to infinity
    const double t = x * 0x1.71547652b82fep+0 + kMagic;
    const double r = x - (t - kMagic) * 0x1.62e42fefa39efp-1;
    double p = 1.0 / 362880;
    p = p * r + 1.0 / 40320;
    p = p * r + 1.0 / 5040;
    p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120;
    p = p * r + 1.0 / 24;
    p = p * r + 1.0 / 6;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const uint64_t scale = (std::bit_cast<uint64_t>(t) + 1023) << 52;  // the magic constant's own bits shift out
    out[i] = static_cast<float>(p * std::bit_cast<double>(scale));
  }
}

// ln(x) = e ln2 + ln(m), m in [sqrt(1/2), sqrt(2)), ln(m) = 2 atanh((m - 1) / (m + 1)) as a series to s^15: relative
// error below 2^-40, so the result is the correctly rounded float but for about one argument in 10^4.
void ln_float(const float* in, float* out, size_t n) {
  AKRT_LANES
  for (size_t i = 0; i < n; ++i) {
    const double x = in[i];
    const uint64_t raw = std::bit_cast<uint64_t>(x);
    double e = std::bit_cast<double>((raw >> 52 & 0x7ff) | 0x4330000000000000ull) - (0x1p52 + 1023);
    double m = std::bit_cast<double>((raw & 0xfffffffffffffull) | 0x3ff0000000000000ull);
    const bool high = m > 0x1.6a09e667f3bcdp+0;
    m = high ? m * 0.5 : m;
    e = high ? e + 1 : e;
    const double s = (m - 1) / (m + 1);
    const double q = s * s;
    double p = 1.0 / 15;
    p = p * q + 1.0 / 13;
    p = p * q + 1.0 / 11;
    p = p * q + 1.0 / 9;
    p = p * q + 1.0 / 7;
    p = p * q + 1.0 / 5;
    p = p * q + 1.0 / 3;
    p = p * q + 1.0;
    auto y = static_cast<float>(e * 0x1.62e42fefa39efp-1 + 2 * s * p);
    y = x > 0x1.fffffep127 ? static_cast<float>(x) : y;
    y = x == 0 ? -__builtin_inff() : y;
    y = x < 0 || x != x ? __builtin_nanf("") : y;
    out[i] = y;
  }
}

void sqrt_float(const float* in, float* out, size_t n) {
  AKRT_LANES
  for (size_t i = 0; i < n; ++i) out[i] = std::sqrt(in[i]);
}

void rsqrt_float(const float* in, float* out, size_t n) {
  AKRT_LANES
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<float>(1.0 / std::sqrt(static_cast<double>(in[i])));
}

}  // namespace akrt::ops
