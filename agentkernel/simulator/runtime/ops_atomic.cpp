#include "ops_atomic.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "akrt/abi_core.h"
#include "ops_bodies.h"

namespace akrt::ops {

namespace {

template <typename T>
T merge_int(uint8_t op, T a, T b, bool saturate) {
  if (op == kAkrtAtomicMax) return std::max(a, b);
  if (op == kAkrtAtomicMin) return std::min(a, b);
  const int64_t sum = int64_t{a} + int64_t{b};
  return static_cast<T>(saturate ? std::clamp<int64_t>(sum, std::numeric_limits<T>::min(), std::numeric_limits<T>::max())
                                 : sum);
}

float merge_float(uint8_t op, float a, float b) {
  return op == kAkrtAtomicMax ? vector_max(a, b) : op == kAkrtAtomicMin ? vector_min(a, b) : a + b;
}

template <typename T>
void merge_ints(const Atomic& c, uint8_t* to, const uint8_t* from, uint32_t bytes) {
  for (uint32_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    T a, b;
    std::memcpy(&a, to + i, sizeof(T));
    std::memcpy(&b, from + i, sizeof(T));
    a = merge_int<T>(c.op, a, b, c.saturate);
    std::memcpy(to + i, &a, sizeof(T));
  }
}

void merge_16(const Atomic& c, uint8_t* to, const uint8_t* from, uint32_t bytes) {
  const bool half = c.dtype == DType::kFloat16;
  for (uint32_t i = 0; i + 2 <= bytes; i += 2) {
    uint16_t a, b;
    std::memcpy(&a, to + i, 2);
    std::memcpy(&b, from + i, 2);
    const float value = half ? merge_float(c.op, half_value(a), half_value(b))
                             : merge_float(c.op, bfloat16_value(a), bfloat16_value(b));
    if (half) float_to_half(&value, &a, 1, c.saturate);
    else a = bfloat16_bits(value, Round::kRint);
    std::memcpy(to + i, &a, 2);
  }
}

void merge(const Atomic& c, uint8_t* to, const uint8_t* from, uint32_t bytes) {
  switch (c.dtype) {
    case DType::kInt8: return merge_ints<int8_t>(c, to, from, bytes);
    case DType::kInt16: return merge_ints<int16_t>(c, to, from, bytes);
    case DType::kInt32: return merge_ints<int32_t>(c, to, from, bytes);
    case DType::kFloat16:
    case DType::kBfloat16: return merge_16(c, to, from, bytes);
    default: break;
  }
  for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
    float a, b;
    std::memcpy(&a, to + i, 4);
    std::memcpy(&b, from + i, 4);
    a = merge_float(c.op, a, b);
    std::memcpy(to + i, &a, 4);
  }
}

}  // namespace

void land(const Atomic& mode, uint8_t* to, const uint8_t* from, uint32_t bytes) {
  if (mode.op == kAkrtAtomicNone) std::memcpy(to, from, bytes);
  else merge(mode, to, from, bytes);
}

void check_atomic(const char* api, Site site, const Registers& regs, const Global& dst) {
  if (regs.atomic_op == kAkrtAtomicNone || regs.atomic_dtype == dst.dtype || dst.dtype == DType::kUint8) return;
  complain("atomic-dtype", api, site,
           std::string(api) + " of " + name_of(dst.dtype) + " while atomic stores are set to " + name_of(regs.atomic_dtype) +
               ".",
           "The type of SetAtomicAdd (Max, Min) has to be the stored one; call SetAtomicNone() after the atomic stores.");
}

}  // namespace akrt::ops
