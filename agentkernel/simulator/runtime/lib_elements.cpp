// Elementwise library functions, and Arange.
#include <algorithm>
#include <bit>
#include <cstring>

#include "lib_formulas.h"
#include "ops_numeric.h"

namespace akrt::lib {

namespace {

struct Elements {
  Vec (*f)(const Vec&, const Vec&, float);
  uint32_t dst, src0, src1, count;
  DType to, from0, from1;
  float scalar;
  bool half_steps, saturate;
};

void run_elements(Machine& m, const Elements& e) {
  uint8_t* ub = m.memory(Space::UB);
  for (uint32_t at = 0; at < e.count; at += kChunk) {
    Steps steps{std::min<size_t>(kChunk, e.count - at), e.half_steps, e.saturate};
    Vec x(steps), y(steps);
    load(x.data(), ub + e.src0 + at * dtype_bytes(e.from0), steps.n, e.from0);
    load(y.data(), ub + e.src1 + at * dtype_bytes(e.from1), steps.n, e.from1);
    const Vec result = e.f(x, y, e.scalar);
    store(ub + e.dst + at * dtype_bytes(e.to), result.data(), steps.n, e.to, e.saturate);
  }
}

struct Integers {
  LibOp op;
  uint32_t dst, src0, src1, count;
  int32_t scalar;
};

// Powers wrap as products do. A negative exponent leaves an integer only for the bases 1 and -1.
int32_t integer_power(int32_t base, int32_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  uint32_t result = 1;
  auto square = static_cast<uint32_t>(base);
  for (auto e = static_cast<uint32_t>(exponent); e != 0; e >>= 1, square *= square)
    if ((e & 1) != 0) result *= square;
  return static_cast<int32_t>(result);
}

void run_integers(Machine& m, const Integers& e) {
  uint8_t* ub = m.memory(Space::UB);
  if (e.op == LibOp::kXor) {
    const auto* a = reinterpret_cast<const uint16_t*>(ub + e.src0);
    const auto* b = reinterpret_cast<const uint16_t*>(ub + e.src1);
    auto* d = reinterpret_cast<uint16_t*>(ub + e.dst);
    for (uint32_t i = 0; i < e.count; ++i) d[i] = static_cast<uint16_t>(a[i] ^ b[i]);
    return;
  }
  const auto* a = reinterpret_cast<const int32_t*>(ub + e.src0);
  const auto* b = reinterpret_cast<const int32_t*>(ub + e.src1);
  auto* d = reinterpret_cast<int32_t*>(ub + e.dst);
  for (uint32_t i = 0; i < e.count; ++i) {
    const int32_t base = e.op == LibOp::kPowerExponent ? e.scalar : a[i];
    const int32_t exponent = e.op == LibOp::kPowerExponent ? a[i] : e.op == LibOp::kPowerBase ? e.scalar : b[i];
    d[i] = integer_power(base, exponent);
  }
}

struct Ramp {
  uint32_t dst, count;
  DType type;
  uint64_t first, step;
};

// Eight elements are set one by one; the rest is what was there plus a multiple of the step, doubling up to 64 elements
// and then 64 at a time.
void run_float_ramp(uint8_t* to, const Ramp& r) {
  const bool half = r.type == DType::kFloat16;
  const auto value = [half](uint64_t bits) {
    return half ? ops::half_value(static_cast<uint16_t>(bits)) : std::bit_cast<float>(static_cast<uint32_t>(bits));
  };
  const auto rounded = [half](float x) { return half ? ops::half_value(ops::half_bits(x)) : x; };
  const float first = value(r.first);
  const float step = value(r.step);
  const auto put = [&](uint32_t i, float x) { store(to + i * dtype_bytes(r.type), &x, 1, r.type, false); };
  const auto get = [&](uint32_t i) {
    float x = 0;
    load(&x, to + i * dtype_bytes(r.type), 1, r.type);
    return x;
  };
  for (uint32_t i = 0; i < std::min(r.count, 8u); ++i) put(i, rounded(first + rounded(step * static_cast<float>(i))));
  for (uint32_t have = 8; have < r.count;) {
    const uint32_t width = std::min(have, 64u);
    const float shift = rounded(step * static_cast<float>(width));
    const uint32_t end = std::min(r.count, have + width);
    for (uint32_t i = have; i < end; ++i) put(i, rounded(get(i - width) + shift));
    have = end;
  }
}

void run_ramp(Machine& m, const Ramp& r) {
  uint8_t* to = m.memory(Space::UB) + r.dst;
  if (r.type == DType::kFloat16 || r.type == DType::kFloat32) {
    run_float_ramp(to, r);
    return;
  }
  const uint32_t size = dtype_bytes(r.type);
  for (uint32_t i = 0; i < r.count; ++i) {
    const uint64_t value = r.first + i * r.step;
    std::memcpy(to + i * size, &value, size);
  }
}

}  // namespace

}  // namespace akrt::lib

using namespace akrt;

extern "C" {

void akrt_l_elements(const LibCall& call, const Local& dst, const Local& src0, const Local* src1) {
  Machine& m = Machine::current();
  ops::require_allocated(call.api, call.site, dst);
  ops::require_allocated(call.api, call.site, src0);
  if (src1 != nullptr) ops::require_allocated(call.api, call.site, *src1);
  if (call.count == 0) return;
  const lib::Formula& formula = lib::formula(call.op);
  const bool axpy = call.op == LibOp::kAxpy;
  const Local& second = src1 != nullptr ? *src1 : axpy ? dst : src0;
  const auto bytes = [&](const Local& t) { return uint64_t{call.count} * dtype_bytes(t.dtype); };
  for (const Local* t : {&dst, &src0, &second})
    if (!lib::within(call.api, call.site, *t, bytes(*t))) return;
  if (!formula.in_place) {
    lib::require_apart(call.api, call.site, dst, src0, bytes(dst), bytes(src0));
    if (src1 != nullptr) lib::require_apart(call.api, call.site, dst, *src1, bytes(dst), bytes(*src1));
  }

  Instr instr(Pipe::V, call.api, call.site);
  instr.reads(contiguous(src0, bytes(src0)));
  if (src1 != nullptr || axpy) instr.reads(contiguous(second, bytes(second)));
  instr.writes(contiguous(dst, bytes(dst)));
  if (formula.takes_tmp) {
    const auto use = static_cast<uint32_t>(std::min<uint64_t>(4ull * call.count, UINT32_MAX));
    lib::take_scratch(m, instr, {call.api, call.site, call.tmp, formula.least_tmp, lib::blocks_of(use)},
                      {&dst, &src0, src1});
  }

  const double repeats = (call.count + 63) / 64 * 64.0;
  if (formula.f == nullptr || dst.dtype == DType::kInt32) {
    // Xor is (a | b) & ~(a & b); an integer power is taken as 32 multiplications and selections.
    instr.cycles = repeats * (call.op == LibOp::kXor ? 4 : 64) / lib::full_rate(dst.dtype);
    instr.run([](Machine& machine, const lib::Integers& p) { lib::run_integers(machine, p); },
              lib::Integers{call.op, dst.addr, src0.addr, second.addr, call.count, call.integer});
    m.issue(instr);
    return;
  }
  const bool narrow = dst.dtype != DType::kFloat32;
  const bool half_steps = dst.dtype == DType::kFloat16 && !formula.in_float && !call.precise;
  lib::Steps steps{0, half_steps};
  {
    const lib::Vec nothing(steps);
    formula.f(nothing, nothing, call.scalar);
  }
  if (narrow && !half_steps) steps.cycles += 2 * steps.fast();  // to float and back
  instr.cycles = repeats * steps.cycles;
  instr.run([](Machine& machine, const lib::Elements& p) { lib::run_elements(machine, p); },
            lib::Elements{formula.f, dst.addr, src0.addr, second.addr, call.count, dst.dtype, src0.dtype, second.dtype,
                          call.scalar, half_steps, m.regs().saturate});
  m.issue(instr);
}

void akrt_l_arange(const char* api, const Local& dst, uint64_t first, uint64_t step, int64_t count, Site site) {
  Machine& m = Machine::current();
  ops::require_allocated(api, site, dst);
  if (!lib::require(count > 0, "count-range", api, site, " of " + std::to_string(count) + " elements.",
                    "The count is at least 1."))
    return;
  const uint64_t bytes = static_cast<uint64_t>(count) * dtype_bytes(dst.dtype);
  if (!lib::within(api, site, dst, bytes)) return;
  const bool negative = (step >> (ops::bits_of(dst.dtype) - 1) & 1) != 0 && step << (65 - ops::bits_of(dst.dtype)) != 0;
  lib::require(!negative, "illegal-argument", api, site, " with a negative difference.", "diffValue is 0 or more.");
  Instr instr(Pipe::V, api, site);
  instr.writes(contiguous(dst, bytes));
  instr.cycles = 8 + 3 + static_cast<double>(count) / 64;  // eight scalar stores, then one addition a repeat
  instr.run([](Machine& machine, const lib::Ramp& r) { lib::run_ramp(machine, r); },
            lib::Ramp{dst.addr, static_cast<uint32_t>(count), dst.dtype, first, step});
  m.issue(instr);
}
}
