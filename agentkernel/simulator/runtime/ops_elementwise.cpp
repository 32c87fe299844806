// Arithmetic, logic and shifts with operands of one element type.
#include <cmath>
#include <limits>
#include <type_traits>

#include "ops_bodies.h"

namespace akrt::ops {

namespace {

struct OneSource {
  static constexpr bool kTwo = false;
  static constexpr bool kReadsDst = false;
};
struct TwoSources {
  static constexpr bool kTwo = true;
  static constexpr bool kReadsDst = false;
};

// Float functions; h is the half form in float, the same unless a fused operation needs its own rounding.
#define AKRT_FLOAT(Name, Kind, expression)                                                            \
  struct Name : Kind {                                                                                \
    static float f([[maybe_unused]] float a, [[maybe_unused]] float b, [[maybe_unused]] float s,      \
                   [[maybe_unused]] float d) {                                                        \
      return expression;                                                                              \
    }                                                                                                 \
    static float h(float a, float b, float s, float d) { return f(a, b, s, d); }                      \
  };
AKRT_FLOAT(AbsF, OneSource, std::fabs(a))
AKRT_FLOAT(ReciprocalF, OneSource, 1.0f / a)
AKRT_FLOAT(ReluF, OneSource, relu(a))
AKRT_FLOAT(AddF, TwoSources, a + b)
AKRT_FLOAT(SubF, TwoSources, a - b)
AKRT_FLOAT(MulF, TwoSources, a * b)
AKRT_FLOAT(DivF, TwoSources, a / b)
AKRT_FLOAT(MaxF, TwoSources, vector_max(a, b))
AKRT_FLOAT(MinF, TwoSources, vector_min(a, b))
AKRT_FLOAT(AddReluF, TwoSources, relu(a + b))
AKRT_FLOAT(SubReluF, TwoSources, relu(a - b))
AKRT_FLOAT(AddsF, OneSource, a + s)
AKRT_FLOAT(MulsF, OneSource, a * s)
AKRT_FLOAT(MaxsF, OneSource, vector_max(a, s))
AKRT_FLOAT(MinsF, OneSource, vector_min(a, s))
AKRT_FLOAT(LeakyReluF, OneSource, a >= 0 ? a : a * s)
#undef AKRT_FLOAT

// Integer results wrap, or stop at the ends of the type in saturation mode.
template <typename T, bool sat, typename Wide>
T fit(Wide exact) {
  if constexpr (sat) {
    return static_cast<T>(std::clamp<Wide>(exact, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  } else {
    return static_cast<T>(exact);
  }
}
template <typename T>
using WideOf = std::conditional_t<sizeof(T) == 2, int32_t, int64_t>;

#define AKRT_INT(Name, Kind, expression)                                                              \
  struct Name : Kind {                                                                                \
    template <typename T, bool sat>                                                                   \
    static T f([[maybe_unused]] T a, [[maybe_unused]] T b, [[maybe_unused]] T s) {                    \
      using W = WideOf<T>;                                                                            \
      return expression;                                                                              \
    }                                                                                                 \
  };
AKRT_INT(AddI, TwoSources, (fit<T, sat>(W{a} + W{b})))
AKRT_INT(SubI, TwoSources, (fit<T, sat>(W{a} - W{b})))
AKRT_INT(MulI, TwoSources, (fit<T, sat>(W{a} * W{b})))
AKRT_INT(MaxI, TwoSources, static_cast<T>(W{a} > W{b} ? a : b))
AKRT_INT(MinI, TwoSources, static_cast<T>(W{a} < W{b} ? a : b))
AKRT_INT(AndI, TwoSources, static_cast<T>(W{a} & W{b}))
AKRT_INT(OrI, TwoSources, static_cast<T>(W{a} | W{b}))
AKRT_INT(NotI, OneSource, static_cast<T>(~W{a}))
AKRT_INT(ReluI, OneSource, static_cast<T>(W{a} > 0 ? a : T{0}))
AKRT_INT(AddReluI, TwoSources, std::max<T>(0, (fit<T, sat>(W{a} + W{b}))))
AKRT_INT(SubReluI, TwoSources, std::max<T>(0, (fit<T, sat>(W{a} - W{b}))))
AKRT_INT(AddsI, OneSource, (fit<T, sat>(W{a} + W{s})))
AKRT_INT(MulsI, OneSource, (fit<T, sat>(W{a} * W{s})))
AKRT_INT(MaxsI, OneSource, static_cast<T>(W{a} > W{s} ? a : s))
AKRT_INT(MinsI, OneSource, static_cast<T>(W{a} < W{s} ? a : s))
#undef AKRT_INT

// Signed left shifts keep the sign bit and move the others.
struct ShiftLeftI : OneSource {
  template <typename T, bool>
  static T f(T a, T, T s) {
    using U = std::make_unsigned_t<T>;
    constexpr U kSign = std::is_signed_v<T> ? static_cast<U>(U{1} << (8 * sizeof(T) - 1)) : U{0};
    const auto shifted = static_cast<U>(static_cast<uint64_t>(static_cast<U>(a)) << static_cast<U>(s));
    return static_cast<T>((static_cast<U>(a) & kSign) | (shifted & static_cast<U>(~kSign)));
  }
};
struct ShiftRightI : OneSource {
  template <typename T, bool>
  static T f(T a, T, T s) {
    return static_cast<T>(static_cast<int64_t>(a) >> static_cast<int64_t>(s));
  }
};
// Adds the last bit that is shifted out.
struct ShiftRightRoundI : OneSource {
  template <typename T, bool>
  static T f(T a, T, T s) {
    const auto wide = static_cast<int64_t>(a);
    return static_cast<T>((wide >> static_cast<int64_t>(s)) + (s > 0 ? wide >> (static_cast<int64_t>(s) - 1) & 1 : 0));
  }
};

template <typename F>
Body floating(DType t) {
  return t == DType::kFloat32 ? &body_float<F> : t == DType::kFloat16 ? &body_half<F> : nullptr;
}
template <void (*F)(const float*, float*, size_t)>
Body array(DType t) {
  return t == DType::kFloat32 ? &body_array_float<F> : t == DType::kFloat16 ? &body_array_half<F> : nullptr;
}
template <typename F, typename I>
Body arithmetic(DType t) {
  if (t == DType::kInt16) return &body_int<int16_t, I>;
  if (t == DType::kInt32) return &body_int<int32_t, I>;
  return floating<F>(t);
}
template <typename I>
Body bitwise(DType t) {
  return bits_of(t) == 16 ? &body_int<uint16_t, I> : nullptr;
}
template <typename I>
Body shift(DType t) {
  switch (t) {
    case DType::kInt16: return &body_int<int16_t, I>;
    case DType::kUint16: return &body_int<uint16_t, I>;
    case DType::kInt32: return &body_int<int32_t, I>;
    case DType::kUint32: return &body_int<uint32_t, I>;
    default: return nullptr;
  }
}

Body body_of(VecOp op, DType t) {
  switch (op) {
    case VecOp::kExp: return array<exp_float>(t);
    case VecOp::kLn: return array<ln_float>(t);
    case VecOp::kSqrt: return array<sqrt_float>(t);
    case VecOp::kRsqrt: return array<rsqrt_float>(t);
    case VecOp::kAbs: return floating<AbsF>(t);
    case VecOp::kReciprocal: return floating<ReciprocalF>(t);
    case VecOp::kRelu: return arithmetic<ReluF, ReluI>(t);
    case VecOp::kNot: return bitwise<NotI>(t);
    case VecOp::kAdd: return arithmetic<AddF, AddI>(t);
    case VecOp::kSub: return arithmetic<SubF, SubI>(t);
    case VecOp::kMul: return arithmetic<MulF, MulI>(t);
    case VecOp::kDiv: return floating<DivF>(t);
    case VecOp::kMax: return arithmetic<MaxF, MaxI>(t);
    case VecOp::kMin: return arithmetic<MinF, MinI>(t);
    case VecOp::kAnd: return bitwise<AndI>(t);
    case VecOp::kOr: return bitwise<OrI>(t);
    case VecOp::kAddRelu: return arithmetic<AddReluF, AddReluI>(t);
    case VecOp::kSubRelu: return arithmetic<SubReluF, SubReluI>(t);
    case VecOp::kAdds: return arithmetic<AddsF, AddsI>(t);
    case VecOp::kMuls: return arithmetic<MulsF, MulsI>(t);
    case VecOp::kMaxs: return arithmetic<MaxsF, MaxsI>(t);
    case VecOp::kMins: return arithmetic<MinsF, MinsI>(t);
    case VecOp::kLeakyRelu: return floating<LeakyReluF>(t);
    case VecOp::kShiftLeft: return shift<ShiftLeftI>(t);
    case VecOp::kShiftRight: return shift<ShiftRightI>(t);
    case VecOp::kShiftRightRound: return shift<ShiftRightRoundI>(t);
    default: return nullptr;
  }
}

// Elements per cycle (arch 2201): a full row of 256 bytes but for the four slow functions.
double rate_of(VecOp op, DType t) {
  if (op == VecOp::kExp || op == VecOp::kLn || op == VecOp::kSqrt || op == VecOp::kDiv) return 32;
  return 8.0 * kRepeatBytes / bits_of(t);
}

bool may_accumulate(VecOp op, DType t) {
  const bool type = t == DType::kFloat16 || t == DType::kFloat32 || t == DType::kInt32;
  return type && (op == VecOp::kAdd || op == VecOp::kSub || op == VecOp::kMul || op == VecOp::kMax ||
                  op == VecOp::kMin || op == VecOp::kAddRelu || op == VecOp::kSubRelu);
}

// And and Or of 32-bit tensors work on 16-bit lanes, which is what the count then counts.
Local as_words(Local t) {
  if (bits_of(t.dtype) == 32) t.dtype = DType::kUint16;
  return t;
}

}  // namespace

namespace {

void issue(VecOp op, const char* api, const Local& dst, const Local& src0, const Local* src1, uint64_t scalar,
           const Walk& walk, Site site) {
  Machine& m = Machine::current();
  Elementwise e;
  e.plan = plan(m, api, site, walk, std::max(bits_of(dst.dtype), bits_of(src0.dtype)));
  if (!e.plan.runs) return;
  Call call{api, site, walk, 64, false};
  if (is_mixed(op)) {
    issue_mixed(m, op, call, e.plan, dst, src0, src1, scalar);
    return;
  }
  e.body = body_of(op, dst.dtype);
  e.scalar = scalar;
  call.rate = rate_of(op, dst.dtype);
  call.accumulates = may_accumulate(op, dst.dtype);
  issue_elementwise(m, call, e, dst, src0, src1);
}

}  // namespace

}  // namespace akrt::ops

using namespace akrt;

extern "C" {

void akrt_v_unary(VecOp op, const char* api, const Local& dst, const Local& src, const Walk& walk, Site site) {
  ops::issue(op, api, dst, src, nullptr, 0, walk, site);
}

void akrt_v_binary(VecOp op, const char* api, const Local& dst, const Local& src0, const Local& src1,
                   const Walk& walk, Site site) {
  if (op == VecOp::kAnd || op == VecOp::kOr) {
    const Local second = ops::as_words(src1);
    ops::issue(op, api, ops::as_words(dst), ops::as_words(src0), &second, 0, walk, site);
    return;
  }
  ops::issue(op, api, dst, src0, &src1, 0, walk, site);
}

void akrt_v_scalar(VecOp op, const char* api, const Local& dst, const Local& src, uint64_t scalar, const Walk& walk,
                   Site site) {
  if (op == VecOp::kShiftLeft || op == VecOp::kShiftRight || op == VecOp::kShiftRightRound) {
    const uint32_t bits = ops::bits_of(dst.dtype);
    const int64_t shift = bits == 16 ? static_cast<int16_t>(scalar) : static_cast<int32_t>(scalar);
    if (shift < 0 || shift > static_cast<int64_t>(bits)) {
      ops::complain("shift-range", api, site, std::string(api) + " by " + std::to_string(shift) + " bits.",
                    "Shifts are 0 to " + std::to_string(bits) + " for this element type.");
      return;
    }
  }
  ops::issue(op, api, dst, src, nullptr, scalar, walk, site);
}
}
