// Reductions of a repeat, a block or a pair. Sums are binary trees over adjacent elements, rounded at every node.
#include <cstring>

#include "ops_bodies.h"
#include "ops_reduce.h"

namespace akrt::ops {

namespace {

float node(float a, float b, bool half, bool saturate) {
  const float sum = a + b;
  if (!half) return sum;
  uint16_t bits = 0;
  float_to_half(&sum, &bits, 1, saturate);
  return half_value(bits);
}

}  // namespace

// Lanes that take no part are -0, which changes no sum.
float tree_sum(float* x, uint32_t n, bool half, bool saturate) {
  alignas(64) float next[kChunk / 2];
  alignas(64) uint16_t bits[kChunk / 2];
  for (uint32_t width = n; width > 1; width /= 2) {
    for (uint32_t i = 0; i < width / 2; ++i) next[i] = x[2 * i] + x[2 * i + 1];
    if (half) {
      float_to_half(next, bits, width / 2, saturate);
      half_to_float(bits, x, width / 2);
    } else {
      std::copy_n(next, width / 2, x);
    }
  }
  return x[0];
}

float add_rounded(float a, float b, bool half, bool saturate) { return node(a, b, half, saturate); }

// The best of the lanes that take part; the first of equals, and the first NaN before everything.
Extreme extreme(const float* x, uint32_t n, const Lanes& lanes, bool maximum) {
  Extreme best;
  if (lanes == Lanes::first(n)) {
    // Floats as integers of the same order, so that the search vectorises; -0 counts as +0, NaN is left to the loop.
    alignas(64) int32_t key[kChunk];
    int32_t top = INT32_MIN;
    uint32_t nans = 0;
    for (uint32_t i = 0; i < n; ++i) {
      const int32_t bits = std::bit_cast<int32_t>(x[i] + 0.0f);
      const int32_t ordered = bits ^ (bits >> 31 & 0x7fffffff);
      key[i] = maximum ? ordered : ~ordered;
      nans += x[i] != x[i];
    }
    for (uint32_t i = 0; i < n; ++i) top = std::max(top, key[i]);
    if (nans == 0) {
      while (key[best.index] != top) ++best.index;
      best.value = x[best.index];
      best.any = true;
      return best;
    }
  }
  for (uint32_t i = 0; i < n; ++i) {
    if (!lanes.has(i)) continue;
    const bool nan = x[i] != x[i];
    const bool better = maximum ? x[i] > best.value : x[i] < best.value;
    if (!best.any || (nan && !best.nan) || (!best.nan && better)) best = {x[i], i, true, nan};
    if (best.nan) break;
  }
  return best;
}

void load_repeat(float* x, const uint8_t* ub, const Operand& src, uint32_t repeat, const Lanes& lanes, uint32_t n) {
  alignas(64) uint8_t raw[kRepeatBytes];
  gather(raw, ub, src, repeat, lanes, n);
  if (src.bits == 16) half_to_float(reinterpret_cast<const uint16_t*>(raw), x, n);
  else std::memcpy(x, raw, n * sizeof(float));
}

void mute(float* x, uint32_t n, const Lanes& lanes) {
  if (lanes == Lanes::first(n)) return;
  for (uint32_t i = 0; i < n; ++i)
    if (!lanes.has(i)) x[i] = -0.0f;
}

void store_value(uint8_t* at, float value, bool half) {
  if (!half) {
    std::memcpy(at, &value, 4);
    return;
  }
  const uint16_t bits = half_bits(value);
  std::memcpy(at, &bits, 2);
}

namespace {

constexpr uint8_t kValueIndex = 0, kIndexValue = 1, kOnlyValue = 2, kOnlyIndex = 3;

struct Reduction {
  Plan plan;
  Operand src;
  uint32_t dst = 0;
  int64_t stride = 0;  // bytes from one repeat's result to the next
  ReduceOp op = ReduceOp::kSum;
  uint8_t order = kOnlyValue;
  bool half = false;
  bool saturate = false;
};

void whole(Machine& m, const Reduction& r) {
  uint8_t* ub = m.memory(Space::UB);
  alignas(64) float x[kChunk];
  Extreme best;
  uint64_t best_index = 0;
  for (uint32_t i = 0; i < r.plan.repeats; ++i) {
    const Lanes& on = r.plan.of(i);
    uint8_t* out = ub + r.dst + static_cast<int64_t>(i) * r.stride;
    load_repeat(x, ub, r.src, i, on, r.plan.lanes);
    if (r.op == ReduceOp::kSum) {
      mute(x, r.plan.lanes, on);
      store_value(out, tree_sum(x, r.plan.lanes, r.half, r.saturate), r.half);
      continue;
    }
    const bool maximum = r.op == ReduceOp::kMax;
    const Extreme e = extreme(x, r.plan.lanes, on, maximum);
    const bool better = maximum ? e.value > best.value : e.value < best.value;
    if (!best.any || (e.nan && !best.nan) || (!best.nan && better)) {
      best = e;
      best_index = uint64_t{i} * r.plan.lanes + e.index;
    }
    const uint32_t size = r.half ? 2 : 4;
    const uint32_t value_at = r.order == kIndexValue ? size : 0;
    if (r.order != kOnlyIndex) store_value(out + value_at, e.value, r.half);
    if (r.order == kOnlyIndex) std::memcpy(out, &e.index, 4);
    if (r.order == kValueIndex || r.order == kIndexValue) std::memcpy(out + (size - value_at), &e.index, size);
  }
  if (r.op == ReduceOp::kSum) return;
  uint8_t* spr = m.memory(Space::SPR);
  const uint64_t bits = r.half ? half_bits(best.value) : std::bit_cast<uint32_t>(best.value);
  std::memcpy(spr + Registers::kMaxMinValue, &bits, 8);
  std::memcpy(spr + Registers::kMaxMinIndex, &best_index, 8);
}

void blocks(Machine& m, const Reduction& r) {
  uint8_t* ub = m.memory(Space::UB);
  alignas(64) float x[kChunk];
  const uint32_t per = 8 * kBlock / r.src.bits;
  const uint32_t size = r.src.bits / 8u;
  for (uint32_t i = 0; i < r.plan.repeats; ++i) {
    const Lanes& on = r.plan.of(i);
    load_repeat(x, ub, r.src, i, on, r.plan.lanes);
    for (uint32_t b = 0; b < r.plan.lanes / per; ++b) {
      Lanes part;
      part.word[0] = on.range(b * per, per);
      if (part.none()) continue;
      float* first = x + b * per;
      float value = 0;
      if (r.op == ReduceOp::kSum) {
        mute(first, per, part);
        value = tree_sum(first, per, r.half, r.saturate);
      } else {
        value = extreme(first, per, part, r.op == ReduceOp::kMax).value;
      }
      store_value(ub + r.dst + static_cast<int64_t>(i) * r.stride + b * size, value, r.half);
    }
  }
}

void pairs(Machine& m, const Reduction& r) {
  uint8_t* ub = m.memory(Space::UB);
  alignas(64) float x[kChunk];
  const uint32_t size = r.src.bits / 8u;
  for (uint32_t i = 0; i < r.plan.repeats; ++i) {
    const Lanes& on = r.plan.of(i);
    load_repeat(x, ub, r.src, i, on, r.plan.lanes);
    for (uint32_t p = 0; p < r.plan.lanes / 2; ++p) {
      const bool a = on.has(2 * p);
      const bool b = on.has(2 * p + 1);
      if (!a && !b) continue;
      const float value = a && b ? node(x[2 * p], x[2 * p + 1], r.half, r.saturate) : x[2 * p + (a ? 0 : 1)];
      store_value(ub + r.dst + static_cast<int64_t>(i) * r.stride + p * size, value, r.half);
    }
  }
}

bool strides_in_range(const char* api, Site site, const Walk& walk) {
  for (const int32_t s : {walk.stride[0], walk.block[1], walk.stride[1]}) {
    if (s >= 0 && s <= 65535) continue;
    complain("stride-range", api, site, std::string(api) + " with a stride of " + std::to_string(s) + ".",
             "Strides are 0 to 65535.");
    return false;
  }
  return true;
}

// `results` per repeat, of `unit` bytes each; `mask` of the results that are written.
void issue(const char* api, Site site, Reduction r, const Local& dst, const Local& src, const Walk& walk,
           uint32_t results, uint32_t result_bytes, int64_t unit, uint8_t align, double rate,
           void (*body)(Machine&, const Reduction&)) {
  Machine& m = Machine::current();
  r.half = src.dtype == DType::kFloat16;
  r.saturate = m.regs().saturate;
  r.src = operand(r.plan, walk, 1, src);
  r.dst = dst.addr;
  r.stride = walk.stride[0] * unit;
  Instr instr(Pipe::V, api, site);
  declare(instr, r.plan, r.src, src, false);
  // Groups of blocks and pairs that nobody wrote have results that nobody uses; a repeat is reduced as one.
  if (body == whole) instr.reads_decide();
  const auto results_of = [&](uint32_t first, uint32_t count, const Lanes& on) {
    // Results of groups without an enabled lane are not written.
    const uint32_t group = r.plan.lanes / results;
    Lanes written;
    for (uint32_t i = 0; i < results; ++i)
      if (on.range(i * group, std::min(group, 64u)) != 0 || (group == 128 && on.word[1] != 0))
        written.word[i / 64] |= 1ull << (i % 64);
    Access a = strided(dst, results * result_bytes, 1, 0, count, r.stride);
    a.base += static_cast<uint64_t>(first * r.stride);
    if (written != Lanes::first(results)) a.masked(written.word[1], written.word[0], result_bytes);
    instr.writes(a.aligned(align));
  };
  if (r.plan.tail == r.plan.mask) {
    results_of(0, r.plan.repeats, r.plan.mask);
  } else {
    if (r.plan.repeats > 1) results_of(0, r.plan.repeats - 1, r.plan.mask);
    results_of(r.plan.repeats - 1, 1, r.plan.tail);
  }
  if (body == whole && r.op != ReduceOp::kSum) instr.writes(Machine::spr(Registers::kMaxMinValue, 16));
  instr.cycles = cycles_at(r.plan, rate);
  instr.reduces = true;
  struct Payload {
    Reduction reduction;
    void (*body)(Machine&, const Reduction&);
  };
  instr.run([](Machine& machine, const Payload& p) { p.body(machine, p.reduction); }, Payload{r, body});
  m.issue(instr);
}

}  // namespace

}  // namespace akrt::ops

using namespace akrt;

extern "C" {

void akrt_v_reduce_whole(ReduceOp op, const char* api, const Local& dst, const Local& src, uint8_t order,
                         const Walk& walk, Site site) {
  if (!ops::strides_in_range(api, site, walk)) return;
  ops::Reduction r;
  r.op = op;
  r.order = order;
  const uint32_t size = ops::bits_of(src.dtype) / 8;
  r.plan = ops::plan(Machine::current(), api, site, walk, 8 * size);
  if (!r.plan.runs) return;
  // A value of T, an index of 4 bytes, or a pair of two T.
  const uint32_t bytes = order == ops::kOnlyValue ? size : order == ops::kOnlyIndex ? 4 : 2 * size;
  const double rate = (size == 2 ? 128.0 : 64.0) / 7;
  ops::issue(api, site, r, dst, src, walk, 1, bytes, bytes, static_cast<uint8_t>(bytes), rate, ops::whole);
}

void akrt_v_reduce_block(ReduceOp op, const char* api, const Local& dst, const Local& src, const Walk& walk,
                         Site site) {
  if (!ops::strides_in_range(api, site, walk)) return;
  ops::Reduction r;
  r.op = op;
  const uint32_t size = ops::bits_of(src.dtype) / 8;
  r.plan = ops::plan(Machine::current(), api, site, walk, 8 * size);
  if (!r.plan.runs) return;
  const double rate = size == 2 ? 128.0 / 7 : 64.0;
  ops::issue(api, site, r, dst, src, walk, 8, size, 8 * size, static_cast<uint8_t>(8 * size), rate, ops::blocks);
}

void akrt_v_reduce_pair(const char* api, const Local& dst, const Local& src, const Walk& walk, Site site) {
  if (!ops::strides_in_range(api, site, walk)) return;
  ops::Reduction r;
  const uint32_t size = ops::bits_of(src.dtype) / 8;
  r.plan = ops::plan(Machine::current(), api, site, walk, 8 * size);
  if (!r.plan.runs) return;
  ops::issue(api, site, r, dst, src, walk, r.plan.lanes / 2, size, 128, 32, r.plan.lanes, ops::pairs);
}
}
