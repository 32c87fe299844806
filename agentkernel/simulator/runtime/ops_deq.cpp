// AddDeqRelu: relu((src0 + src1) * scale) of int32 to half. The library composes it, with scratch at the end of UB.
// CastDeq of int16_t: src * scale + offset, rounded to nearest even and saturated, in one half of each block.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "ops_bodies.h"

namespace akrt::ops {

namespace {

// The product is exact in double and rounded once, to nearest even. The library scales by 2^-17 and back on the way, so
// that nothing overflows before the end.
void add_deq_relu(const Batch& b) {
  const auto* x = static_cast<const int32_t*>(b.src0);
  const auto* y = static_cast<const int32_t*>(b.src1);
  auto* d = static_cast<uint16_t*>(b.dst);
  const double scale = static_cast<double>(half_value(static_cast<uint16_t>(b.scalar)));
  for (size_t i = 0; i < b.n; ++i) {
    const int64_t exact = int64_t{x[i]} + int64_t{y[i]};
    const int64_t sum = b.saturate ? std::clamp<int64_t>(exact, INT32_MIN, INT32_MAX) : static_cast<int32_t>(exact);
    const double product = static_cast<double>(sum) * scale;
    const uint16_t bits = half_from_double(product > 0 ? product : product != product ? product : 0.0);
    const bool beyond = (bits & 0x7fff) >= 0x7c00;
    d[i] = !b.saturate || !beyond ? bits : (bits & 0x7fff) > 0x7c00 ? 0 : 0x7bff;
  }
}

struct Requant {
  Plan plan;
  Operand dst, src;
  uint64_t entry = 0;      // scale, offset and sign of all elements
  uint32_t entries = 0;    // or the address of 16 of them
  bool vector = false;
  uint32_t half = 0;       // first byte of a block that is filled
};

constexpr uint32_t kHalf = kBlock / 2;

uint8_t requantised(int16_t value, uint64_t entry) {
  const float scale = std::bit_cast<float>(static_cast<uint32_t>(entry));
  const auto raw = static_cast<int32_t>(entry >> 37 & 0x1ff);
  const int32_t offset = raw < 256 ? raw : raw - 512;
  const bool is_signed = (entry >> 46 & 1) != 0;
  const float low = is_signed ? -128.0f : 0.0f, high = is_signed ? 127.0f : 255.0f;
  const float result = std::nearbyint(static_cast<float>(value) * scale + static_cast<float>(offset));
  if (std::isnan(result)) return 0;
  return static_cast<uint8_t>(static_cast<int32_t>(std::clamp(result, low, high)));
}

void run_requant(Machine& m, const Requant& q) {
  uint8_t* ub = m.memory(Space::UB);
  uint64_t entries[kHalf];
  for (uint64_t& e : entries) e = q.entry;
  if (q.vector) std::memcpy(entries, ub + q.entries, sizeof(entries));
  alignas(64) int16_t x[kRepeatBytes / 2] = {};
  for (uint32_t r = 0; r < q.plan.repeats; ++r) {
    const Lanes& on = q.plan.of(r);
    gather(x, ub, q.src, r, on, q.plan.lanes);
    for (uint32_t i = 0; i < q.plan.lanes; ++i) {
      if (!on.has(i)) continue;
      const int64_t at = int64_t{q.dst.addr} + int64_t{r} * q.dst.repeat + int64_t{i / kHalf} * q.dst.block + q.half + i % kHalf;
      ub[at] = requantised(x[i], entries[i % kHalf]);
    }
  }
}

// The halves of the blocks that repeats [first, first + count) write.
Access written_halves(const Requant& q, const Local& dst, uint32_t first, uint32_t count, const Lanes& lanes) {
  Access a = strided(dst, kHalf, q.plan.lanes / kHalf, q.dst.block, count, q.dst.repeat).aligned(kHalf);
  a.base += q.half + static_cast<uint64_t>(int64_t{first} * q.dst.repeat);
  if (lanes != Lanes::first(q.plan.lanes)) a.masked(lanes.word[1], lanes.word[0], 1);
  return a;
}

}  // namespace

}  // namespace akrt::ops

using namespace akrt;

extern "C" {

void akrt_v_add_deq_relu(const char* api, const Local& dst, const Local& src0, const Local& src1, const Walk& walk,
                         Site site) {
  Machine& m = Machine::current();
  ops::Elementwise e;
  e.plan = ops::plan(m, api, site, walk, 32);
  if (!e.plan.runs) return;
  ops::check_scratch(m, api, site, {&dst, &src0, &src1});
  e.body = &ops::add_deq_relu;
  e.scalar = m.regs().deqscale & 0xffff;
  if (e.scalar == 0)
    ops::complain("deqscale-not-set", api, site, std::string(api) + " without SetDeqScale.",
                  "The sum is multiplied by the scale register: call SetDeqScale((half)1.0) before it.");
  // Six instructions of the library: add, cast, scale, cast, scale back, relu.
  ops::issue_elementwise(m, {api, site, walk, e.plan.lanes / 6.0, false}, e, dst, src0, &src1);
}

void akrt_v_cast_deq(const char* api, const Local& dst, const Local& src, bool vector, bool lower, const Walk& walk, Site site) {
  Machine& m = Machine::current();
  for (const Local* t : {&dst, &src}) ops::require_allocated(api, site, *t);
  ops::Requant q;
  q.plan = ops::plan(m, api, site, walk, 16);
  if (!q.plan.runs) return;
  q.dst = ops::operand(q.plan, walk, 0, dst);
  if (walk.form == Walk::kCount) q.dst.repeat = static_cast<int32_t>(ops::kRepeatBytes);
  q.src = ops::operand(q.plan, walk, 1, src);
  q.vector = vector;
  q.half = lower ? 0 : ops::kHalf;
  q.entry = m.regs().deqscale;
  q.entries = static_cast<uint32_t>(q.entry);
  if (q.entry == 0)
    ops::complain("deqscale-not-set", api, site, std::string(api) + " without SetDeqScale.",
                  "Call SetDeqScale(scale, offset, signMode), or SetDeqScale(tensor, VdeqInfo) with isVecDeq, before it.");
  Instr instr(Pipe::V, api, site);
  ops::declare(instr, q.plan, q.src, src, false);
  if (vector) {
    Access entries;
    entries.base = q.entries;
    entries.piece = 128;
    instr.reads(entries);
  }
  if (q.plan.repeats > 1) instr.writes(ops::written_halves(q, dst, 0, q.plan.repeats - 1, q.plan.mask));
  instr.writes(ops::written_halves(q, dst, q.plan.repeats - 1, 1, q.plan.tail));
  instr.cycles = ops::cycles_at(q.plan, q.plan.lanes);
  instr.run([](Machine& machine, const ops::Requant& p) { ops::run_requant(machine, p); }, q);
  m.issue(instr);
}
}
