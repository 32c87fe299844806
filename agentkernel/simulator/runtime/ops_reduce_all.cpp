// Complete reductions: ReduceSum, ReduceMax, ReduceMin, and the accumulating sum. They end with a scalar store of the
// result, synchronised as the library does it: V -> S before, S -> V and S -> MTE3 after.
#include <cstring>
#include <vector>

#include "ops_bodies.h"
#include "ops_reduce.h"

namespace akrt::ops {

namespace {

struct Complete {
  Plan plan;
  Operand src;
  bool half = false;
  bool saturate = false;
  bool maximum = false;
  bool tree = false;  // partial sums are summed as a tree, not in order
};

void keep(Machine& m, uint32_t spr, uint64_t bits) { std::memcpy(m.memory(Space::SPR) + spr, &bits, 8); }

uint64_t raw_bits(float value, bool half) { return half ? half_bits(value) : std::bit_cast<uint32_t>(value); }

void sum(Machine& m, const Complete& c) {
  const uint8_t* ub = m.memory(Space::UB);
  alignas(64) float x[kChunk];
  std::vector<float> partial;
  float total = 0;
  for (uint32_t r = 0; r < c.plan.repeats; ++r) {
    load_repeat(x, ub, c.src, r, c.plan.of(r), c.plan.lanes);
    mute(x, c.plan.lanes, c.plan.of(r));
    const float value = tree_sum(x, c.plan.lanes, c.half, c.saturate);
    if (c.tree) partial.push_back(value);
    else total = r == 0 ? value : add_rounded(total, value, c.half, c.saturate);
  }
  while (partial.size() > 1) {
    std::vector<float> next;
    for (size_t at = 0; at < partial.size(); at += c.plan.lanes) {
      const size_t n = std::min<size_t>(c.plan.lanes, partial.size() - at);
      std::fill(std::copy_n(partial.begin() + static_cast<std::ptrdiff_t>(at), n, x), x + c.plan.lanes, -0.0f);
      next.push_back(tree_sum(x, c.plan.lanes, c.half, c.saturate));
    }
    partial = std::move(next);
  }
  if (c.tree && !partial.empty()) total = partial[0];
  keep(m, Registers::kAccVal, raw_bits(total, c.half));
}

void most(Machine& m, const Complete& c) {
  const uint8_t* ub = m.memory(Space::UB);
  alignas(64) float x[kChunk];
  Extreme best;
  uint64_t index = 0;
  for (uint32_t r = 0; r < c.plan.repeats && !best.nan; ++r) {
    load_repeat(x, ub, c.src, r, c.plan.of(r), c.plan.lanes);
    const Extreme e = extreme(x, c.plan.lanes, c.plan.of(r), c.maximum);
    const bool better = c.maximum ? e.value > best.value : e.value < best.value;
    if (!best.any || e.nan || better) {
      best = e;
      index = uint64_t{r} * c.plan.lanes + e.index;
    }
  }
  keep(m, Registers::kMaxMinValue, raw_bits(best.value, c.half));
  keep(m, Registers::kMaxMinIndex, index);
}

// The scalar store of `values` results from the registers to dst.
void store_result(Machine& m, const char* api, Site site, const Local& dst, ReduceOp op, uint32_t size,
                  uint32_t values) {
  struct Store {
    uint32_t dst, size, values, from;
  };
  m.stall_for(Pipe::V, api, site);
  Instr store(Pipe::S, api, site);
  const uint32_t from = op == ReduceOp::kSum ? Registers::kAccVal : Registers::kMaxMinValue;
  store.reads(Machine::spr(from, 8 * values));
  store.writes(contiguous(dst, size * values).aligned(static_cast<uint8_t>(size)));
  store.run(
      [](Machine& machine, const Store& s) {
        for (uint32_t i = 0; i < s.values; ++i)
          std::memcpy(machine.memory(Space::UB) + s.dst + i * s.size, machine.memory(Space::SPR) + s.from + 8 * i, s.size);
      },
      Store{dst.addr, size, values, from});
  m.issue(store);
  for (const Pipe to : {Pipe::V, Pipe::MTE3}) {
    const auto event = static_cast<uint8_t>(event_of(Pipe::S, to));
    const int32_t id = m.fetch_event(event, site);
    m.set_flag(event, id, api, site);
    m.wait_flag(event, id, api, site);
  }
}


// Elements of scratch that the library needs.
uint32_t scratch_elements(ReduceOp op, bool index, uint32_t repeats, uint32_t size) {
  const uint32_t block = kBlock / size;
  const uint32_t repeat = kRepeatBytes / size;
  if (op == ReduceOp::kSum) return round_up(repeats, block);
  const uint32_t first = round_up(2 * repeats, block);
  if (!index) return first;
  const uint32_t second = 2 * ((2 * repeats + repeat - 1) / repeat);
  uint32_t total = first + round_up(second, block);
  if (second > 2) total += round_up(2 * ceil_div(second, repeat), block);
  return total;
}

}  // namespace

}  // namespace akrt::ops

using namespace akrt;

extern "C" {

void akrt_v_reduce(ReduceOp op, const char* api, const Local& dst, const Local& src, const Local& work, bool index,
                   const Walk& walk, Site site) {
  Machine& m = Machine::current();
  const uint32_t size = ops::bits_of(src.dtype) / 8;
  const bool counted = walk.form == Walk::kCount;
  ops::Complete c;
  if (counted) {
    c.plan = ops::plan(m, api, site, walk, 8 * size);
  } else {
    if (walk.repeat < 0) {
      ops::complain("repeat-range", api, site, std::string(api) + " with repeatTime " + std::to_string(walk.repeat) + ".",
                    "The number of repeats has to be 0 or more.");
      return;
    }
    // These loop over chunks of 255 repeats by themselves, so that repeatTime may be larger.
    Walk one = walk;
    one.repeat = std::min(walk.repeat, 255);
    c.plan = ops::plan(m, api, site, one, 8 * size);
    if (!m.regs().counter_mode) c.plan.repeats = std::min(static_cast<uint32_t>(walk.repeat), ops::kManyRepeats);
    m.regs().mask[0] = m.regs().mask[1] = ~0ull;
  }
  if (!c.plan.runs) return;
  c.src = ops::operand(c.plan, walk, 1, src);
  c.half = size == 2;
  c.saturate = m.regs().saturate;
  c.maximum = op == ReduceOp::kMax;
  c.tree = op == ReduceOp::kSum && !counted;
  Instr instr(Pipe::V, api, site);
  ops::declare(instr, c.plan, c.src, src, false);
  instr.reads_decide();
  if (op != ReduceOp::kSum || !counted) {
    const uint32_t full = counted ? std::max(1u, c.plan.total() / c.plan.lanes) : c.plan.repeats;
    const uint32_t need = size * ops::scratch_elements(op, index, full, size);
    if (work.bytes < need)
      ops::complain("work-too-small", api, site,
                    std::string(api) + " needs " + std::to_string(need / size) + " elements of work space for " +
                        std::to_string(full) + " repeats; the tensor has " + std::to_string(work.bytes / size) + ".",
                    "Size the shared buffer by the documented formula, rounded up to 32 bytes per level.");
    instr.writes(contiguous(work, std::min(need, work.bytes)));
  }
  instr.writes(op == ReduceOp::kSum ? Machine::spr(Registers::kAccVal, 8) : Machine::spr(Registers::kMaxMinValue, 16));
  instr.cycles = ops::cycles_at(c.plan, c.plan.lanes / 7.0);
  instr.reduces = true;
  if (op == ReduceOp::kSum)
    instr.run([](Machine& machine, const ops::Complete& p) { ops::sum(machine, p); }, c);
  else
    instr.run([](Machine& machine, const ops::Complete& p) { ops::most(machine, p); }, c);
  m.issue(instr);
  ops::store_result(m, api, site, dst, op, size, op != ReduceOp::kSum && index ? 2 : 1);
}

void akrt_v_accumulate(const char* api, const Local& src, const Walk& walk, Site site) {
  Machine& m = Machine::current();
  ops::Complete c;
  c.plan = ops::plan(m, api, site, walk, ops::bits_of(src.dtype));
  if (!c.plan.runs) return;
  c.src = ops::operand(c.plan, walk, 1, src);
  c.half = src.dtype == DType::kFloat16;
  c.saturate = m.regs().saturate;
  Instr instr(Pipe::V, api, site);
  ops::declare(instr, c.plan, c.src, src, false);
  instr.reads_decide();
  instr.writes(Machine::spr(Registers::kAccVal, 8));
  instr.cycles = ops::cycles_at(c.plan, c.plan.lanes / 7.0);
  instr.reduces = true;
  instr.run([](Machine& machine, const ops::Complete& p) { ops::sum(machine, p); }, c);
  m.issue(instr);
}
}
