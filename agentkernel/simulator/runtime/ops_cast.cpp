// Cast: rounding modes, saturation, and the factor of int32 -> half.
#include <cmath>
#include <limits>

#include "ops_bodies.h"

namespace akrt::ops {

namespace {

constexpr uint8_t bit(Round r) { return static_cast<uint8_t>(1u << static_cast<unsigned>(r)); }
constexpr uint8_t kExact = bit(Round::kNone);
constexpr uint8_t kFive =
    bit(Round::kRint) | bit(Round::kFloor) | bit(Round::kCeil) | bit(Round::kRound) | bit(Round::kTrunc);
constexpr uint8_t kAny = 0xff;

// The rounding modes that a pair of types accepts.
uint8_t legal_modes(DType dst, DType src) {
  switch (src) {
    case DType::kFloat16:
      if (dst == DType::kFloat32) return kExact;
      return dst == DType::kInt16 || dst == DType::kInt32 ? kFive : kFive | kExact;
    case DType::kBfloat16: return dst == DType::kFloat32 ? kExact : kFive;
    case DType::kFloat32: return dst == DType::kFloat16 ? kFive | bit(Round::kOdd) | kExact : kFive;
    case DType::kInt16: return dst == DType::kFloat16 ? kFive | kExact : kExact;
    case DType::kInt32:
      if (dst == DType::kFloat16) return kAny;
      return dst == DType::kFloat32 ? kFive | kExact : kExact;
    case DType::kInt64: return dst == DType::kFloat32 ? kFive : kExact;
    default: return kExact;
  }
}

const char* mode_name(unsigned mode) {
  static constexpr const char* kNames[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                           "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};
  return mode < 7 ? kNames[mode] : "an unknown round mode";
}

void check_mode(const char* api, Site site, DType dst, DType src, uint8_t mode) {
  const uint8_t legal = legal_modes(dst, src);
  if (mode < 7 && (legal >> mode & 1) != 0) return;
  std::string list;
  for (unsigned i = 0; i < 7; ++i)
    if ((legal >> i & 1) != 0) list += (list.empty() ? "" : ", ") + std::string(mode_name(i));
  complain("cast-round-mode", api, site,
           std::string(api) + " from " + name_of(src) + " to " + name_of(dst) + " with " + mode_name(mode) + ".",
           "Legal for this pair: " + list + ".");
}

// ---- sources that fit into float ------------------------------------------------------------------------------
template <typename T>
void widen(const void* in, size_t at, float* out, size_t n) {
  const auto* x = static_cast<const T*>(in) + at;
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<float>(x[i]);
}

void load(DType t, const void* in, size_t at, float* out, size_t n) {
  switch (t) {
    case DType::kFloat16: half_to_float(static_cast<const uint16_t*>(in) + at, out, n); break;
    case DType::kBfloat16:
      for (size_t i = 0; i < n; ++i) out[i] = bfloat16_value(static_cast<const uint16_t*>(in)[at + i]);
      break;
    case DType::kInt8: widen<int8_t>(in, at, out, n); break;
    case DType::kUint8: widen<uint8_t>(in, at, out, n); break;
    case DType::kInt16: widen<int16_t>(in, at, out, n); break;
    case DType::kInt4:
      for (size_t i = 0; i < n; ++i) {
        const int pair = static_cast<const uint8_t*>(in)[(at + i) / 2];
        const int nibble = (at + i) % 2 == 0 ? pair & 15 : pair >> 4;
        out[i] = static_cast<float>(nibble >= 8 ? nibble - 16 : nibble);
      }
      break;
    default: widen<float>(in, at, out, n); break;
  }
}

// ---- destinations ---------------------------------------------------------------------------------------------
void round_all(float* x, size_t n, Round mode) {
  switch (mode) {
    case Round::kFloor:
      for (size_t i = 0; i < n; ++i) x[i] = std::floor(x[i]);
      break;
    case Round::kCeil:
      for (size_t i = 0; i < n; ++i) x[i] = std::ceil(x[i]);
      break;
    case Round::kTrunc:
      for (size_t i = 0; i < n; ++i) x[i] = std::trunc(x[i]);
      break;
    case Round::kRound:
      for (size_t i = 0; i < n; ++i) x[i] = round_float(x[i], Round::kRound);
      break;
    default:
      for (size_t i = 0; i < n; ++i) x[i] = std::nearbyint(x[i]);
      break;
  }
}

// Integral floats to integers: beyond the range the ends, NaN to 0.
template <typename T>
T clip(float x) {
  constexpr float kLow = static_cast<float>(std::numeric_limits<T>::min());
  constexpr float kBeyond = static_cast<float>(std::numeric_limits<T>::max() / 2 + 1) * 2.0f;  // max + 1, a power of 2
  const bool inside = x >= kLow && x < kBeyond;
  const T value = static_cast<T>(inside ? x : 0.0f);
  return x >= kBeyond ? std::numeric_limits<T>::max() : x < kLow ? std::numeric_limits<T>::min() : value;
}

template <typename T>
void store_int(float* x, size_t n, void* out, size_t at, Round mode) {
  round_all(x, n, mode);
  auto* d = static_cast<T*>(out) + at;
  for (size_t i = 0; i < n; ++i) d[i] = clip<T>(x[i]);
}

void store_int4(float* x, size_t n, void* out, size_t at, Round mode) {
  round_all(x, n, mode);
  auto* d = static_cast<uint8_t*>(out);
  for (size_t i = 0; i < n; ++i) {
    const int value = x[i] != x[i] ? 0 : static_cast<int>(std::fmin(std::fmax(x[i], -8.0f), 7.0f));
    uint8_t& pair = d[(at + i) / 2];
    const int nibble = value & 15;
    pair = static_cast<uint8_t>((at + i) % 2 == 0 ? (pair & 0xf0) | nibble : (pair & 0x0f) | nibble << 4);
  }
}

void store_half(const float* x, size_t n, void* out, size_t at, Round mode, bool saturate) {
  auto* d = static_cast<uint16_t*>(out) + at;
  if (mode == Round::kNone || mode == Round::kRint) {
    float_to_half(x, d, n, saturate);
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    const uint16_t bits = half_bits(x[i], mode);
    const bool beyond = (bits & 0x7fff) >= 0x7c00;
    d[i] = !saturate || !beyond ? bits : x[i] != x[i] ? 0 : static_cast<uint16_t>((bits & 0x8000) | 0x7bff);
  }
}

void store_bfloat16(const float* x, size_t n, void* out, size_t at, Round mode, bool saturate) {
  auto* d = static_cast<uint16_t*>(out) + at;
  if (mode == Round::kRint && !saturate) {
    for (size_t i = 0; i < n; ++i) {
      const uint32_t raw = std::bit_cast<uint32_t>(x[i]);
      const uint32_t rounded = raw + 0x7fffu + (raw >> 16 & 1u);
      d[i] = static_cast<uint16_t>(((raw & 0x7fffffffu) > 0x7f800000u ? raw | 0x400000u : rounded) >> 16);
    }
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    const uint16_t bits = bfloat16_bits(x[i], mode);
    const bool beyond = (bits & 0x7fff) >= 0x7f80;
    d[i] = !saturate || !beyond ? bits : x[i] != x[i] ? 0 : static_cast<uint16_t>((bits & 0x8000) | 0x7f7f);
  }
}

void store_float(float* x, size_t n, void* out, size_t at, Round mode) {
  round_all(x, n, mode);
  auto* d = static_cast<float*>(out) + at;
  for (size_t i = 0; i < n; ++i) d[i] = x[i] + 0.0f;  // -0 becomes +0
}

// From any type that fits into float. The mode travels in Batch::scalar.
template <DType dst, DType src>
void through_float(const Batch& b) {
  alignas(64) float x[kChunk];
  const auto mode = static_cast<Round>(b.scalar);
  for (size_t at = 0; at < b.n; at += kChunk) {
    const size_t n = std::min(kChunk, b.n - at);
    load(src, b.src0, at, x, n);
    if constexpr (dst == DType::kFloat16) store_half(x, n, b.dst, at, mode, b.saturate);
    if constexpr (dst == DType::kBfloat16) store_bfloat16(x, n, b.dst, at, mode, b.saturate);
    if constexpr (dst == DType::kInt8) store_int<int8_t>(x, n, b.dst, at, mode);
    if constexpr (dst == DType::kUint8) store_int<uint8_t>(x, n, b.dst, at, mode);
    if constexpr (dst == DType::kInt16) store_int<int16_t>(x, n, b.dst, at, mode);
    if constexpr (dst == DType::kInt32) store_int<int32_t>(x, n, b.dst, at, mode);
    if constexpr (dst == DType::kInt64) store_int<int64_t>(x, n, b.dst, at, mode);
    if constexpr (dst == DType::kInt4) store_int4(x, n, b.dst, at, mode);
    if constexpr (dst == DType::kFloat32 && src == DType::kFloat32) store_float(x, n, b.dst, at, mode);
    if constexpr (dst == DType::kFloat32 && src != DType::kFloat32)
      std::copy_n(x, n, static_cast<float*>(b.dst) + at);
  }
}

// ---- 32- and 64-bit integer sources ----------------------------------------------------------------------------
template <typename D, typename S>
void integer(const Batch& b) {
  const auto* x = static_cast<const S*>(b.src0);
  auto* d = static_cast<D*>(b.dst);
  const size_t n = b.n;
  constexpr int64_t kLow = std::numeric_limits<D>::min();
  constexpr int64_t kHigh = std::numeric_limits<D>::max();
  for (size_t i = 0; i < n; ++i) d[i] = static_cast<D>(std::clamp<int64_t>(x[i], kLow, kHigh));
}

template <typename S>
void integer_to_float(const Batch& b) {
  const auto* x = static_cast<const S*>(b.src0);
  auto* d = static_cast<float*>(b.dst);
  const size_t n = b.n;
  const auto mode = static_cast<Round>(b.scalar);
  if (mode == Round::kNone || mode == Round::kRint) {
    for (size_t i = 0; i < n; ++i) d[i] = static_cast<float>(x[i]);
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    const auto wide = static_cast<int64_t>(x[i]);
    const uint64_t magnitude = wide < 0 ? 0 - static_cast<uint64_t>(wide) : static_cast<uint64_t>(wide);
    d[i] = float_from_integer(wide < 0, magnitude, mode);
  }
}

// Times the half in the dequantisation register; the product is exact in double and rounded once.
void int32_to_half(const Batch& b) {
  const auto* x = static_cast<const int32_t*>(b.src0);
  auto* d = static_cast<uint16_t*>(b.dst);
  const double scale = static_cast<double>(half_value(static_cast<uint16_t>(b.scalar)));
  for (size_t i = 0; i < b.n; ++i) {
    const uint16_t bits = half_from_double(x[i] * scale);
    const bool beyond = (bits & 0x7fff) >= 0x7c00;
    d[i] = !b.saturate || !beyond ? bits : (bits & 0x7fff) > 0x7c00 ? 0 : static_cast<uint16_t>((bits & 0x8000) | 0x7bff);
  }
}

Body body_of(DType dst, DType src) {
  using D = DType;
#define AKRT_PAIR(To, From) \
  if (dst == D::To && src == D::From) return &through_float<D::To, D::From>;
  AKRT_PAIR(kFloat32, kFloat16)
  AKRT_PAIR(kFloat16, kFloat32)
  AKRT_PAIR(kFloat32, kBfloat16)
  AKRT_PAIR(kBfloat16, kFloat32)
  AKRT_PAIR(kInt32, kFloat32)
  AKRT_PAIR(kInt16, kFloat32)
  AKRT_PAIR(kInt64, kFloat32)
  AKRT_PAIR(kFloat32, kFloat32)
  AKRT_PAIR(kInt32, kFloat16)
  AKRT_PAIR(kInt16, kFloat16)
  AKRT_PAIR(kInt8, kFloat16)
  AKRT_PAIR(kUint8, kFloat16)
  AKRT_PAIR(kInt4, kFloat16)
  AKRT_PAIR(kInt32, kBfloat16)
  AKRT_PAIR(kFloat16, kInt4)
  AKRT_PAIR(kFloat16, kUint8)
  AKRT_PAIR(kFloat16, kInt8)
  AKRT_PAIR(kFloat16, kInt16)
  AKRT_PAIR(kFloat32, kInt16)
#undef AKRT_PAIR
  if (src == D::kInt32) {
    if (dst == D::kFloat32) return &integer_to_float<int32_t>;
    if (dst == D::kFloat16) return &int32_to_half;
    return dst == D::kInt16 ? &integer<int16_t, int32_t> : &integer<int64_t, int32_t>;
  }
  return dst == D::kFloat32 ? &integer_to_float<int64_t> : &integer<int32_t, int64_t>;
}

}  // namespace

}  // namespace akrt::ops

using namespace akrt;

extern "C" {

void akrt_v_cast(const char* api, const Local& dst, const Local& src, uint8_t round_mode, const Walk& walk,
                 Site site) {
  Machine& m = Machine::current();
  ops::check_mode(api, site, dst.dtype, src.dtype, round_mode);
  ops::Elementwise e;
  e.plan = ops::plan(m, api, site, walk, std::max(ops::bits_of(dst.dtype), ops::bits_of(src.dtype)));
  if (!e.plan.runs) return;
  if (dst.dtype == DType::kInt4 || src.dtype == DType::kInt4) {
    const ops::Lanes& l = e.plan.tail;
    const uint64_t even = 0x5555555555555555ull;
    if (((l.word[0] ^ l.word[0] >> 1) & even) != 0 || ((l.word[1] ^ l.word[1] >> 1) & even) != 0)
      ops::complain("int4-odd-count", api, site, std::string(api) + " on an odd number of int4b_t values.",
                    "Two values share a byte: counts have to be even and mask bits equal in pairs.");
  }
  e.body = ops::body_of(dst.dtype, src.dtype);
  e.scalar = round_mode;
  if (dst.dtype == DType::kFloat16 && src.dtype == DType::kInt32) {
    e.scalar = m.regs().deqscale & 0xffff;
    if (e.scalar == 0)
      ops::complain("deqscale-not-set", api, site, std::string(api) + " from int32_t to half without SetDeqScale.",
                    "This conversion multiplies by the scale register: call SetDeqScale((half)1.0) before it.");
  }
  ops::issue_elementwise(m, {api, site, walk, static_cast<double>(e.plan.lanes), false}, e, dst, src, nullptr);
}

uint64_t akrt_s_cast(float value, bool to_half, uint8_t round_mode) {
  const auto mode = static_cast<ops::Round>(round_mode);
  if (to_half) return ops::half_bits(value, mode);
  return static_cast<uint32_t>(ops::clip<int32_t>(ops::round_float(value, mode)));
}
}
