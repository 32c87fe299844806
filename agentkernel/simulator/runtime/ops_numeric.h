// Number formats and elementary functions: exact conversions, and exp and ln correct to well under 1 ulp of float.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

namespace akrt::ops {

// Whole blocks of half <-> float. `saturate`: results beyond the half range become +-65504 and NaN becomes 0.
void half_to_float(const uint16_t* in, float* out, size_t n);
void float_to_half(const float* in, uint16_t* out, size_t n, bool saturate);

float half_value(uint16_t bits);

// RoundMode of the language.
enum class Round : uint8_t { kNone, kRint, kFloor, kCeil, kRound, kTrunc, kOdd };

// float to half in any rounding mode; what rounds beyond the largest half is infinite in every mode.
uint16_t half_bits(float value, Round mode = Round::kRint);
// double to half, rounded once to nearest even.
uint16_t half_from_double(double value);
uint16_t bfloat16_bits(float value, Round mode);
// To an integral float.
float round_float(float value, Round mode);
// Sign and magnitude of an integer to float.
float float_from_integer(bool negative, uint64_t magnitude, Round mode);

inline float bfloat16_value(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

// out[i] = f(in[i]); in and out may be the same array.
void exp_float(const float* in, float* out, size_t n);
void ln_float(const float* in, float* out, size_t n);
void sqrt_float(const float* in, float* out, size_t n);
void rsqrt_float(const float* in, float* out, size_t n);

// A result that a fused operation rounds once: the float nearest to a + b whose last bit says whether it was inexact
// (round to odd), so that rounding it again to half is exact.
float add_to_odd(float a, float b);

}  // namespace akrt::ops
