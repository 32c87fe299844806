// Fused instructions: they round once, read the destination, or have operands of different element types.
#include <cmath>
#include <limits>

#include "ops_bodies.h"

namespace akrt::ops {

namespace {

// A product of two halves is exact in float, so only the sum rounds; to odd, so that the half result rounds once.
float half_fma(float a, float b, float c) { return add_to_odd(a * b, c); }

struct ReadsDst {
  static constexpr bool kTwo = true;
  static constexpr bool kReadsDst = true;
};
struct FusedMulAddF : ReadsDst {
  static float f(float a, float b, float, float d) { return std::fma(a, d, b); }
  static float h(float a, float b, float, float d) { return half_fma(a, d, b); }
};
struct FusedMulAddReluF : ReadsDst {
  static float f(float a, float b, float, float d) { return relu(std::fma(a, d, b)); }
  static float h(float a, float b, float, float d) { return relu(half_fma(a, d, b)); }
};
struct MulAddDstF : ReadsDst {
  static float f(float a, float b, float, float d) { return std::fma(a, b, d); }
  static float h(float a, float b, float, float d) { return half_fma(a, b, d); }
};
struct AxpyF {
  static constexpr bool kTwo = false;
  static constexpr bool kReadsDst = true;
  static float f(float a, float, float s, float d) { return std::fma(a, s, d); }
  static float h(float a, float, float s, float d) { return half_fma(a, s, d); }
};

// half sources, float destination: one rounding, of the sum.
template <bool scalar>
void accumulate_wide(const Batch& b) {
  alignas(64) float x[kChunk], y[kChunk];
  auto* out = static_cast<float*>(b.dst);
  const float s = half_value(static_cast<uint16_t>(b.scalar));
  for (size_t at = 0; at < b.n; at += kChunk) {
    const size_t n = std::min(kChunk, b.n - at);
    half_to_float(static_cast<const uint16_t*>(b.src0) + at, x, n);
    if constexpr (!scalar) half_to_float(static_cast<const uint16_t*>(b.src1) + at, y, n);
    AKRT_LANES
    for (size_t i = 0; i < n; ++i) out[at + i] += x[i] * (scalar ? s : y[i]);
  }
}

enum class Combine : uint8_t { kMul, kAddRelu, kSubRelu };
template <Combine how>
float combine(float a, float b) {
  if constexpr (how == Combine::kMul) return a * b;
  if constexpr (how == Combine::kAddRelu) return relu(a + b);
  return relu(a - b);
}

template <typename T>
T saturate_round(float value) {
  if (value != value) return 0;
  const float whole = std::nearbyint(value);
  return static_cast<T>(std::fmin(std::fmax(whole, static_cast<float>(std::numeric_limits<T>::min())),
                                  static_cast<float>(std::numeric_limits<T>::max())));
}

// half -> 8-bit integers: the operation rounds to half, then to the nearest integer.
template <Combine how, typename T>
void half_to_byte(const Batch& b) {
  alignas(64) float x[kChunk], y[kChunk];
  alignas(64) uint16_t rounded[kChunk];
  auto* out = static_cast<T*>(b.dst);
  for (size_t at = 0; at < b.n; at += kChunk) {
    const size_t n = std::min(kChunk, b.n - at);
    half_to_float(static_cast<const uint16_t*>(b.src0) + at, x, n);
    half_to_float(static_cast<const uint16_t*>(b.src1) + at, y, n);
    for (size_t i = 0; i < n; ++i) x[i] = combine<how>(x[i], y[i]);
    float_to_half(x, rounded, n, b.saturate);
    half_to_float(rounded, x, n);
    for (size_t i = 0; i < n; ++i) out[at + i] = saturate_round<T>(x[i]);
  }
}

template <Combine how>
void float_to_narrow(const Batch& b) {
  alignas(64) float x[kChunk];
  for (size_t at = 0; at < b.n; at += kChunk) {
    const size_t n = std::min(kChunk, b.n - at);
    const auto* a = static_cast<const float*>(b.src0) + at;
    const auto* c = static_cast<const float*>(b.src1) + at;
    for (size_t i = 0; i < n; ++i) x[i] = combine<how>(a[i], c[i]);
    float_to_half(x, static_cast<uint16_t*>(b.dst) + at, n, b.saturate);
  }
}

template <Combine how>
void int16_to_int8(const Batch& b) {
  const auto* x = static_cast<const int16_t*>(b.src0);
  const auto* y = static_cast<const int16_t*>(b.src1);
  auto* out = static_cast<int8_t*>(b.dst);
  const size_t n = b.n;
  for (size_t i = 0; i < n; ++i) {
    const int32_t exact = how == Combine::kAddRelu ? x[i] + y[i] : x[i] - y[i];
    out[i] = static_cast<int8_t>(std::clamp(exact, 0, 127));
  }
}

template <typename F>
Body one_type(DType t) {
  return t == DType::kFloat32 ? &body_float<F> : &body_half<F>;
}
template <Combine how>
Body narrowing(DType src) {
  if (src == DType::kFloat32) return &float_to_narrow<how>;
  return src == DType::kInt16 ? &int16_to_int8<how> : &half_to_byte<how, int8_t>;
}

Body body_of(VecOp op, DType dst, DType src) {
  const bool widens = dst == DType::kFloat32 && src == DType::kFloat16;
  switch (op) {
    case VecOp::kFusedMulAdd: return one_type<FusedMulAddF>(dst);
    case VecOp::kFusedMulAddRelu: return one_type<FusedMulAddReluF>(dst);
    case VecOp::kMulAddDst: return widens ? &accumulate_wide<false> : one_type<MulAddDstF>(dst);
    case VecOp::kAxpy: return widens ? &accumulate_wide<true> : one_type<AxpyF>(dst);
    case VecOp::kMulCast:
      return dst == DType::kUint8 ? &half_to_byte<Combine::kMul, uint8_t> : &half_to_byte<Combine::kMul, int8_t>;
    case VecOp::kAddReluCast: return narrowing<Combine::kAddRelu>(src);
    default: return narrowing<Combine::kSubRelu>(src);
  }
}

}  // namespace

bool is_mixed(VecOp op) {
  switch (op) {
    case VecOp::kFusedMulAdd:
    case VecOp::kFusedMulAddRelu:
    case VecOp::kMulAddDst:
    case VecOp::kMulCast:
    case VecOp::kAddReluCast:
    case VecOp::kSubReluCast:
    case VecOp::kAxpy: return true;
    default: return false;
  }
}

void issue_mixed(Machine& m, VecOp op, Call call, const Plan& p, const Local& dst, const Local& src0,
                 const Local* src1, uint64_t scalar) {
  Elementwise e;
  e.plan = p;
  e.body = body_of(op, dst.dtype, src0.dtype);
  e.scalar = scalar;
  e.reads_dst = op == VecOp::kFusedMulAdd || op == VecOp::kFusedMulAddRelu || op == VecOp::kMulAddDst ||
                op == VecOp::kAxpy;
  call.rate = p.lanes;
  if (op == VecOp::kMulAddDst) call.rate /= 2;  // three reads need two cycles
  issue_elementwise(m, call, e, dst, src0, src1);
}

}  // namespace akrt::ops
