// Comparisons: one result bit per element, packed from the low bit of the first byte on.
#include <cstring>

#include "ops_bodies.h"

namespace akrt::ops {

namespace {

enum class Mode : uint8_t { kLt, kGt, kEq, kLe, kGe, kNe };

// A comparison with NaN is false in every mode, also in NE.
template <typename T>
void pack(Mode mode, const T* a, const T* b, size_t n, uint8_t* out) {
  const auto all = [&](auto test) {
    for (size_t at = 0; at < n; at += 8) {
      unsigned bits = 0;
      for (size_t i = 0; i < 8; ++i) bits |= static_cast<unsigned>(test(a[at + i], b[at + i])) << i;
      out[at / 8] = static_cast<uint8_t>(bits);
    }
  };
  switch (mode) {
    case Mode::kLt: return all([](T x, T y) { return x < y; });
    case Mode::kGt: return all([](T x, T y) { return x > y; });
    case Mode::kEq: return all([](T x, T y) { return x == y; });
    case Mode::kLe: return all([](T x, T y) { return x <= y; });
    case Mode::kGe: return all([](T x, T y) { return x >= y; });
    case Mode::kNe: return all([](T x, T y) { return x < y || x > y; });
  }
}

// One repeat of packed elements; `n` is a multiple of 8.
void pack_repeat(DType t, Mode mode, const void* a, const void* b, size_t n, uint8_t* out) {
  if (t == DType::kInt32) {
    pack(mode, static_cast<const int32_t*>(a), static_cast<const int32_t*>(b), n, out);
  } else if (t == DType::kFloat32) {
    pack(mode, static_cast<const float*>(a), static_cast<const float*>(b), n, out);
  } else {
    alignas(64) float x[kChunk], y[kChunk];
    half_to_float(static_cast<const uint16_t*>(a), x, n);
    half_to_float(static_cast<const uint16_t*>(b), y, n);
    pack(mode, x, y, n, out);
  }
}

void fill(void* packed, DType t, uint64_t scalar, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (bits_of(t) == 32) static_cast<uint32_t*>(packed)[i] = static_cast<uint32_t>(scalar);
    else static_cast<uint16_t*>(packed)[i] = static_cast<uint16_t>(scalar);
  }
}

struct Comparison {
  Plan plan;
  Operand src0, src1;
  uint32_t dst = 0;
  DType dtype = DType::kFloat32;
  Mode mode = Mode::kLt;
  bool scalar = false;
  bool to_register = false;
  uint64_t value = 0;
};

void run(Machine& m, const Comparison& c) {
  uint8_t* ub = m.memory(Space::UB);
  alignas(64) uint8_t a[kRepeatBytes] = {}, b[kRepeatBytes] = {};
  if (c.scalar) fill(b, c.dtype, c.value, c.plan.lanes);
  for (uint32_t r = 0; r < c.plan.repeats; ++r) {
    gather(a, ub, c.src0, r, c.plan.of(r), c.plan.lanes);
    if (!c.scalar) gather(b, ub, c.src1, r, c.plan.of(r), c.plan.lanes);
    if (!c.to_register) {
      pack_repeat(c.dtype, c.mode, a, b, c.plan.lanes, ub + c.dst + size_t{r} * c.plan.lanes / 8);
      continue;
    }
    Lanes bits;
    pack_repeat(c.dtype, c.mode, a, b, c.plan.lanes, reinterpret_cast<uint8_t*>(bits.word));
    for (int w = 0; w < 2; ++w) {
      const uint64_t on = c.plan.mask.word[w];
      m.regs().cmpmask[w] = (m.regs().cmpmask[w] & ~on) | (bits.word[w] & on);
    }
  }
}

void check_mode(const char* api, Site site, DType t, uint8_t mode) {
  if (mode > 5)
    complain("compare-mode", api, site, std::string(api) + " with an unknown CMPMODE.",
             "Legal: LT, GT, EQ, LE, GE, NE.");
  else if (t == DType::kInt32 && static_cast<Mode>(mode) != Mode::kEq)
    complain("compare-mode", api, site, std::string(api) + " of int32_t with a CMPMODE other than EQ.",
             "Ascend 910B compares int32_t for EQ only: cast to float for an order.");
}

void issue(const char* api, const Local* dst, const Local& src0, const Local* src1, uint64_t scalar, uint8_t mode,
           const Walk& walk, Site site) {
  Machine& m = Machine::current();
  check_mode(api, site, src0.dtype, mode);
  const uint32_t bits = bits_of(src0.dtype);
  Comparison c;
  c.plan = plan(m, api, site, walk, bits);
  if (!c.plan.runs) return;
  if (dst != nullptr) {
    if (walk.form == Walk::kCount && c.plan.tail != c.plan.mask) {
      const uint32_t count = c.plan.total();
      complain("count-alignment", api, site,
               std::string(api) + " of " + std::to_string(count) + " elements, " + std::to_string(count * bits / 8) +
                   " bytes, which is not a multiple of 256.",
               "Round the count up to a multiple of " + std::to_string(c.plan.lanes) +
                   " (the operands have to be that long); the chip computes no bits for a tail.");
      if (--c.plan.repeats == 0) return;
    }
    // Tensor results are always those of whole repeats: the mask has no effect.
    c.plan.mask = c.plan.tail = Lanes::first(c.plan.lanes);
    c.dst = dst->addr;
  }
  c.to_register = dst == nullptr;
  c.src0 = operand(c.plan, walk, 1, src0);
  c.scalar = src1 == nullptr;
  if (!c.scalar) c.src1 = operand(c.plan, walk, 2, *src1);
  c.dtype = src0.dtype;
  c.mode = static_cast<Mode>(mode);
  c.value = scalar;
  Instr instr(Pipe::V, api, site);
  declare(instr, c.plan, c.src0, src0, false);
  if (!c.scalar) declare(instr, c.plan, c.src1, *src1, false);
  if (dst != nullptr) instr.writes(contiguous(*dst, uint64_t{c.plan.repeats} * c.plan.lanes / 8));
  instr.cycles = cycles_at(c.plan, c.plan.lanes);
  instr.run([](Machine& machine, const Comparison& payload) { run(machine, payload); }, c);
  m.issue(instr);
}

struct MaskMove {
  uint32_t addr;
};

}  // namespace

}  // namespace akrt::ops

using namespace akrt;

extern "C" {

void akrt_v_compare(const char* api, const Local& dst, const Local& src0, const Local& src1, uint8_t mode,
                    const Walk& walk, Site site) {
  ops::issue(api, &dst, src0, &src1, 0, mode, walk, site);
}

void akrt_v_compare_scalar(const char* api, const Local& dst, const Local& src, uint64_t scalar, uint8_t mode,
                           const Walk& walk, Site site) {
  ops::issue(api, &dst, src, nullptr, scalar, mode, walk, site);
}

void akrt_v_compare_register(const char* api, const Local& src0, const Local& src1, uint8_t mode, const Walk& walk,
                             Site site) {
  ops::issue(api, nullptr, src0, &src1, 0, mode, walk, site);
}

void akrt_v_set_cmp_mask(const Local& src, Site site) {
  Instr instr(Pipe::V, "SetCmpMask", site);
  instr.reads(contiguous(src, 16));
  instr.cycles = 1;
  instr.run(
      [](Machine& m, const ops::MaskMove& p) { std::memcpy(m.regs().cmpmask, m.memory(Space::UB) + p.addr, 16); },
      ops::MaskMove{src.addr});
  Machine::current().issue(instr);
}

void akrt_v_get_cmp_mask(const Local& dst, Site site) {
  Instr instr(Pipe::V, "GetCmpMask", site);
  instr.writes(contiguous(dst, 16));
  instr.cycles = 1;
  instr.run(
      [](Machine& m, const ops::MaskMove& p) { std::memcpy(m.memory(Space::UB) + p.addr, m.regs().cmpmask, 16); },
      ops::MaskMove{dst.addr});
  Machine::current().issue(instr);
}
}
