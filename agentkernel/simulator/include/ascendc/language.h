// The words that Ascend C adds to C++: qualifiers, address spaces, scalar types, kernel-type and tiling macros.
//
// A host compiler cannot type address spaces, so their keywords are empty here; the source pass checks them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

// Device programs put wider variables into brace lists of parameter structs; the device compiler narrows them.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wc++11-narrowing"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wnarrowing"
#endif

#define __global__
#define __aicore__
#define __host__
#define __vector__
#define __cube__
#define __aicpu__
#define __mix__(cube, vec)
#define __schedmode__(mode)
#define __simd_vf__
#define __simd_callee__
#define __simt_vf__
#define __simt_callee__
#define __callee__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __biasbuf__
#define __fbuf__
#define __ssbuf__
#define __local_mem__
#define __forceinline__ inline

#define GM_ADDR __gm__ uint8_t*

// Atlas A2. One translation is one core type; the vector image is the default.
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif
#ifndef __CCE_AICORE__
#define __CCE_AICORE__ 220
#endif
#define __DAV_C220__
#ifdef AKRT_CORE_AIC
#define __DAV_C220_CUBE__
#else
#define __DAV_C220_VEC__
#endif

using half = _Float16;
using float16_t = half;
using float32_t = float;

// Storage only: the vector unit has no bfloat16 arithmetic, and neither has the scalar unit. It converts to float and
// to no other type. Numbers convert to it, because parameter structs are written with plain zeros for every element type.
template <typename V>
inline constexpr bool kAkNumber = std::is_arithmetic_v<V> || std::is_same_v<V, half>;
struct bfloat16_t {
  uint16_t bits;

  bfloat16_t() = default;
  template <typename V, typename = std::enable_if_t<kAkNumber<V>>>
  constexpr bfloat16_t(V value) : bits(Round(static_cast<float>(value))) {}  // NOLINT: implicit by intent

  static constexpr uint16_t Round(float value) {
    const uint32_t raw = __builtin_bit_cast(uint32_t, value);
    if ((raw & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((raw >> 16) | 0x40u);
    return static_cast<uint16_t>((raw + 0x7fffu + ((raw >> 16) & 1u)) >> 16);
  }
  friend constexpr bool operator==(bfloat16_t a, bfloat16_t b) { return a.Value() == b.Value(); }
  friend constexpr bool operator!=(bfloat16_t a, bfloat16_t b) { return a.Value() != b.Value(); }
  // Exact in both operands: the comparison with a number is that of two bfloat16, not that of two floats.
  template <typename V, typename = std::enable_if_t<kAkNumber<V>>>
  friend constexpr bool operator==(bfloat16_t a, V b) {
    return a == bfloat16_t(b);
  }
  constexpr float Value() const { return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16); }
  template <typename F, typename = std::enable_if_t<std::is_same_v<F, float>>>
  constexpr operator F() const {  // NOLINT: implicit by intent
    return Value();
  }
};
// Built into the device compiler. A program's own functions of these names win.
template <typename V>
  requires kAkNumber<V>
constexpr V min(V a, V b) {
  return b < a ? b : a;
}
template <typename V>
  requires kAkNumber<V>
constexpr V max(V a, V b) {
  return a < b ? b : a;
}

// What the conversion to float would let through.
template <typename A, typename B>
concept AkBfloat16Operands = (std::is_same_v<A, bfloat16_t> && (kAkNumber<B> || std::is_same_v<B, bfloat16_t>)) ||
                             (kAkNumber<A> && std::is_same_v<B, bfloat16_t>);
#define AK_NO_BFLOAT16(op)            \
  template <typename A, typename B>   \
    requires AkBfloat16Operands<A, B> \
  void operator op(const A&, const B&) = delete;
AK_NO_BFLOAT16(+)
AK_NO_BFLOAT16(-)
AK_NO_BFLOAT16(*)
AK_NO_BFLOAT16(/)
AK_NO_BFLOAT16(<)
AK_NO_BFLOAT16(>)
AK_NO_BFLOAT16(<=)
AK_NO_BFLOAT16(>=)
#undef AK_NO_BFLOAT16
void operator+(const bfloat16_t&) = delete;
void operator-(const bfloat16_t&) = delete;
static_assert(sizeof(bfloat16_t) == 2 && std::is_trivially_copyable_v<bfloat16_t>);

enum pipe_t { PIPE_S = 0, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_FIX };
enum event_t { EVENT_ID0 = 0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
enum ub_addr8_t { VA0 = 0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };
enum Order_t { VALUE_INDEX = 0, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };
enum class pad_t : uint8_t { PAD_NONE = 0, PAD_MODE1, PAD_MODE2, PAD_MODE3, PAD_MODE4, PAD_MODE5 };
enum QuantMode_t { NoQuant, F322F16, F322BF16, DEQF16, VDEQF16, QF322B8_PRE, VQF322B8_PRE, REQ8, VREQ8 };

enum KernelMetaType : uint8_t {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2,
  KERNEL_TYPE_AICORE,
  KERNEL_TYPE_VECTORCORE,
  KERNEL_TYPE_MIX_AICORE,
  KERNEL_TYPE_MIX_VECTOR_CORE
};

namespace AscendC {
inline constexpr int32_t MIX = 0;
inline constexpr int32_t AIC = 1;
inline constexpr int32_t AIV = 2;
}  // namespace AscendC

#ifdef AKRT_CORE_AIC
inline constexpr int32_t g_coreType = AscendC::AIC;
#else
inline constexpr int32_t g_coreType = AscendC::AIV;
#endif

#define ASCEND_IS_AIV constexpr(g_coreType == AscendC::AIV)
#define ASCEND_IS_AIC constexpr(g_coreType == AscendC::AIC)
#define ASCEND_IS_NOT_AIV constexpr(g_coreType != AscendC::AIV)
#define ASCEND_IS_NOT_AIC constexpr(g_coreType != AscendC::AIC)

#define KERNEL_TASK_TYPE_DEFAULT(value) static_assert(static_cast<uint8_t>(value) <= KERNEL_TYPE_MIX_VECTOR_CORE)
#define KERNEL_TASK_TYPE(key, value) static_assert(static_cast<uint8_t>(value) <= KERNEL_TYPE_MIX_VECTOR_CORE)

// As in a device build: conditions cost nothing and print nothing.
#ifndef ASSERT
#define ASSERT(...)
#endif
#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#endif
#ifndef unlikely
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

// How an API body is written. It is `noinline`, so that the return address in it is the place of the call, which is how
// the runtime knows the source line. clang would give equal calls of two branches one place, without a line. Vector
// bodies do nothing in the cube image.
#ifdef __clang__
#define AK_API __attribute__((noinline, not_tail_called, nomerge))
#else
#define AK_API __attribute__((noinline))
#endif
#define AK_SITE __builtin_return_address(0)
// Bodies of the cube core do nothing on a vector core; the runtime sees to that.
#define AK_CUBE_ONLY static_assert(true)
#define AK_VECTOR_ONLY \
  if constexpr (g_coreType == AscendC::AIC) return
