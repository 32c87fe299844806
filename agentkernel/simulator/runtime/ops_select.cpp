// Select: a bit of 1 takes the first source, 0 the second.
//
//   mode 0  the first bits of the mask are loaded into CMPMASK and serve every repeat
//   mode 1  the second source is a scalar     } consecutive bits of the mask, repeat by repeat; both use the top 8 KB of
//   mode 2  the second source is a tensor     } UB as scratch
#include <cstring>

#include "ops_bodies.h"

namespace akrt::ops {

namespace {

constexpr uint8_t kRegister = 0, kScalar = 1, kTensor = 2;

struct Selection {
  Plan plan;
  Operand dst, src0, src1;
  uint32_t bits = 0;        // address of the mask, and how many bytes of it are read
  uint32_t bit_bytes = 0;
  bool in_register = false; // CMPMASK as it stands
  bool reuse = false;       // every repeat starts at the first bit
  bool scalar = false;
  bool scalar_in_register = false;
  bool by_address = false;  // CMPMASK holds where in UB the mask is: the low 32 bits of its address
  uint64_t value = 0;
};

template <typename T>
void choose(T* dst, const T* a, const T* b, const uint8_t* bits, size_t n) {
  for (size_t i = 0; i < n; ++i) dst[i] = (bits[i / 8] >> (i % 8) & 1) != 0 ? a[i] : b[i];
}

void run(Machine& m, const Selection& s) {
  uint8_t* ub = m.memory(Space::UB);
  alignas(64) uint8_t dst[kRepeatBytes] = {}, a[kRepeatBytes] = {}, b[kRepeatBytes] = {};
  const uint32_t lanes = s.plan.lanes;
  const bool wide = s.dst.bits == 32;
  if (s.scalar) {
    const uint64_t value = s.scalar_in_register ? m.regs().cmpmask[0] : s.value;
    for (uint32_t i = 0; i < lanes; ++i) {
      if (wide) reinterpret_cast<uint32_t*>(b)[i] = static_cast<uint32_t>(value);
      else reinterpret_cast<uint16_t*>(b)[i] = static_cast<uint16_t>(value);
    }
  }
  if (s.reuse && !s.in_register) std::memcpy(m.regs().cmpmask, ub + s.bits, s.bit_bytes);
  uint32_t mask_at = s.bits;
  if (s.by_address) {
    mask_at = static_cast<uint32_t>(m.regs().cmpmask[0]) - static_cast<uint32_t>(reinterpret_cast<uintptr_t>(ub));
    Access bits;
    bits.base = mask_at;
    bits.piece = s.bit_bytes;
    if (!m.touch(bits)) return;
  }
  for (uint32_t r = 0; r < s.plan.repeats; ++r) {
    const Lanes& on = s.plan.of(r);
    uint8_t bits[16] = {};
    if (s.reuse || (s.in_register && !s.by_address)) std::memcpy(bits, m.regs().cmpmask, 16);
    else std::memcpy(bits, ub + mask_at + r * lanes / 8, std::min(lanes / 8, s.bit_bytes - r * lanes / 8));
    gather(a, ub, s.src0, r, on, lanes);
    if (!s.scalar) gather(b, ub, s.src1, r, on, lanes);
    if (wide) choose(reinterpret_cast<uint32_t*>(dst), reinterpret_cast<uint32_t*>(a), reinterpret_cast<uint32_t*>(b), bits, lanes);
    else choose(reinterpret_cast<uint16_t*>(dst), reinterpret_cast<uint16_t*>(a), reinterpret_cast<uint16_t*>(b), bits, lanes);
    scatter(ub, dst, s.dst, r, on, lanes);
  }
}

void issue(const char* api, const Local& dst, const Local* bits, const Local& src0, const Local* src1,
           uint64_t scalar, uint8_t mode, const Walk& walk, Site site) {
  Machine& m = Machine::current();
  if (mode > kTensor || (mode == kScalar) != (src1 == nullptr)) {
    complain("select-mode", api, site,
             std::string(api) + " with SELMODE " + std::to_string(mode) +
                 (src1 == nullptr ? " and a scalar as second source." : " and a tensor as second source."),
             "A scalar needs VSEL_TENSOR_SCALAR_MODE; a tensor VSEL_TENSOR_TENSOR_MODE, or VSEL_CMPMASK_SPR to use "
             "the same mask bits in every repeat.");
    mode = src1 == nullptr ? kScalar : kTensor;
  }
  Selection s;
  s.plan = plan(m, api, site, walk, bits_of(dst.dtype));
  if (!s.plan.runs) return;
  // The forms that take CMPMASK as it stands prepare nothing in the scratch.
  if (mode != kRegister && bits != nullptr && !walk.keep_mask) check_scratch(m, api, site, {&dst, bits, &src0, src1});
  s.dst = operand(s.plan, walk, 0, dst);
  s.src0 = operand(s.plan, walk, 1, src0);
  s.scalar = src1 == nullptr;
  if (!s.scalar) s.src1 = operand(s.plan, walk, 2, *src1);
  s.reuse = mode == kRegister;
  s.value = scalar;
  s.in_register = bits == nullptr;
  s.scalar_in_register = s.scalar && walk.keep_mask;
  s.by_address = s.in_register && mode == kTensor;
  if (s.by_address) s.bit_bytes = (s.plan.repeats * s.plan.lanes + 7) / 8;
  check_overlap(api, site, s.plan, s.dst, s.src0, false);
  if (!s.scalar) check_overlap(api, site, s.plan, s.dst, s.src1, false);
  Instr instr(Pipe::V, api, site);
  if (bits != nullptr) {
    s.bits = bits->addr;
    uint32_t used = s.plan.lanes;
    if (!s.reuse) {
      used = (s.plan.repeats - 1) * s.plan.lanes;
      for (uint32_t i = 0; i < s.plan.lanes; ++i)
        if (s.plan.tail.has(i)) used = (s.plan.repeats - 1) * s.plan.lanes + i + 1;
    }
    s.bit_bytes = (used + 7) / 8;
    instr.reads(contiguous(*bits, s.bit_bytes));
  }
  declare(instr, s.plan, s.src0, src0, false);
  if (!s.scalar && instr.accesses < Instr::kMaxAccesses - 1) declare(instr, s.plan, s.src1, *src1, false);
  if (instr.accesses < Instr::kMaxAccesses) declare(instr, s.plan, s.dst, dst, true);
  instr.cycles = cycles_at(s.plan, s.plan.lanes);
  instr.run([](Machine& machine, const Selection& payload) { run(machine, payload); }, s);
  m.issue(instr);
}

}  // namespace

}  // namespace akrt::ops

using namespace akrt;

extern "C" {

void akrt_v_select(const char* api, const Local& dst, const Local& bits, const Local& src0, const Local& src1,
                   uint8_t mode, const Walk& walk, Site site) {
  ops::issue(api, dst, &bits, src0, &src1, 0, mode, walk, site);
}

void akrt_v_select_scalar(const char* api, const Local& dst, const Local& bits, const Local& src0, uint64_t scalar,
                          uint8_t mode, const Walk& walk, Site site) {
  ops::issue(api, dst, &bits, src0, nullptr, scalar, mode, walk, site);
}

void akrt_v_select_register(const char* api, const Local& dst, const Local* bits, const Local& src0,
                            const Local* src1, uint8_t mode, const Walk& walk, Site site) {
  ops::issue(api, dst, bits, src0, src1, 0, mode, walk, site);
}
}
