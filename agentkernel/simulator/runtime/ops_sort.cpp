// Sort32 and MrgSort. Both work on structs of 8 bytes: the score in the low bytes, the index in the high four.
#include <array>
#include <cstring>

#include "ops_bodies.h"

namespace akrt::ops {

namespace {

constexpr uint32_t kGroup = 32;   // pairs that Sort32 sorts at a time
constexpr uint32_t kStruct = 8;   // bytes of a (score, index) struct
constexpr uint32_t kMaxLength = 4095;
constexpr double kRate = 2;       // elements per cycle

float score_at(const uint8_t* at, bool half) {
  if (half) {
    uint16_t bits = 0;
    std::memcpy(&bits, at, 2);
    return half_value(bits);
  }
  float value = 0;
  std::memcpy(&value, at, 4);
  return value;
}

// Descending, with NaN before everything; equal scores keep their order.
bool before(float a, float b) { return a > b || (a != a && b == b); }

struct Groups {
  uint32_t dst, scores, indices, repeats;
  bool half;
};

void sort_groups(Machine& m, const Groups& g) {
  uint8_t* ub = m.memory(Space::UB);
  const uint32_t size = g.half ? 2 : 4;
  for (uint32_t r = 0; r < g.repeats; ++r) {
    const uint8_t* scores = ub + g.scores + r * kGroup * size;
    const uint8_t* indices = ub + g.indices + r * kGroup * 4;
    std::array<float, kGroup> value{};
    std::array<uint8_t, kGroup> order{};
    for (uint32_t i = 0; i < kGroup; ++i) value[i] = score_at(scores + i * size, g.half);
    for (uint32_t i = 0; i < kGroup; ++i) {  // insertion: std::stable_sort allocates
      uint32_t at = i;
      for (; at > 0 && before(value[i], value[order[at - 1]]); --at) order[at] = order[at - 1];
      order[at] = static_cast<uint8_t>(i);
    }
    std::array<uint8_t, kGroup * kStruct> sorted{};
    for (uint32_t i = 0; i < kGroup; ++i) {
      std::memcpy(&sorted[i * kStruct], scores + order[i] * size, size);
      std::memcpy(&sorted[i * kStruct + 4], indices + order[i] * 4u, 4);
    }
    std::memcpy(ub + g.dst + r * sorted.size(), sorted.data(), sorted.size());
  }
}

struct Merge {
  uint32_t dst = 0;
  std::array<uint32_t, 4> src{};
  std::array<uint16_t, 4> length{};
  uint32_t queues = 0;
  uint32_t repeats = 1;
  bool half = false;
  bool suspend = false;
};

uint32_t total(const Merge& c) {
  uint32_t sum = 0;
  for (uint32_t q = 0; q < c.queues; ++q) sum += c.length[q];
  return sum;
}

// Takes the largest head until all queues are empty, or with suspension until one is. Returns what was taken of each.
std::array<uint16_t, 4> merge_once(uint8_t* ub, const Merge& c, uint32_t repeat) {
  std::array<uint16_t, 4> taken{};
  const uint32_t shift = repeat * total(c) * kStruct;
  uint8_t* out = ub + c.dst + shift;
  const auto head = [&](uint32_t q) { return ub + c.src[q] + shift + taken[q] * kStruct; };
  for (uint32_t n = 0; n < total(c); ++n) {
    uint32_t best = c.queues;
    for (uint32_t q = 0; q < c.queues; ++q) {
      if (taken[q] == c.length[q]) {
        if (c.suspend) return taken;
        continue;
      }
      if (best == c.queues || before(score_at(head(q), c.half), score_at(head(best), c.half))) best = q;
    }
    std::memcpy(out + n * kStruct, head(best), kStruct);
    ++taken[best];
  }
  return taken;
}

void merge(Machine& m, const Merge& c) {
  std::array<uint16_t, 4> taken{};
  uint64_t written = 0;
  for (uint32_t r = 0; r < c.repeats; ++r) {
    taken = merge_once(m.memory(Space::UB), c, r);
    for (const uint16_t n : taken) written += n;
  }
  std::memcpy(m.memory(Space::SPR) + Registers::kMrgSort, taken.data(), 8);
  if (!c.suspend || written == 0) return;
  Access a;  // how much is written only the data say
  a.write = true;
  a.base = c.dst;
  a.piece = static_cast<uint32_t>(written * kStruct);
  m.touch(a);
}

// Whether the numbers of the call make sense; says so where not.
bool numbers_ok(const char* api, Site site, const MergeCall& call) {
  if (call.valid != 3 && call.valid != 7 && call.valid != 15) {
    complain("illegal-argument", api, site, std::string(api) + " with validBit " + std::to_string(call.valid) + ".",
             "validBit is 3, 7 or 15: the first two, three or four queues take part.");
    return false;
  }
  for (uint32_t q = 0; q < 4; ++q) {
    if ((call.valid >> q & 1) == 0 || call.lengths[q] <= kMaxLength) continue;
    complain("illegal-argument", api, site,
             std::string(api) + " with a queue of " + std::to_string(call.lengths[q]) + " structs.",
             "A queue has at most 4095 structs of 8 bytes: merge shorter pieces first.");
    return false;
  }
  return true;
}

// Repeats count only for four equal queues that lie one after the other, without suspension.
uint32_t repeats_of(const Merge& c, uint8_t asked) {
  if (asked == 0) return 0;
  if (c.queues != 4 || c.suspend) return 1;
  for (uint32_t q = 1; q < 4; ++q)
    if (c.length[q] != c.length[0] || c.src[q] != c.src[q - 1] + c.length[0] * kStruct) return 1;
  return asked;
}

bool meet(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) { return a < b + b_bytes && b < a + a_bytes; }

void in_place(const char* api, Site site) {
  complain("operand-overlap", api, site, std::string(api) + ": source and destination share memory.",
           std::string(api) + " cannot work in place: give it another destination.");
}

}  // namespace

}  // namespace akrt::ops

using namespace akrt;

extern "C" {

void akrt_v_sort32(const char* api, const Local& dst, const Local& scores, const Local& indices, int32_t repeat,
                   Site site) {
  Machine& m = Machine::current();
  for (const Local* t : {&dst, &scores, &indices}) ops::require_allocated(api, site, *t);
  if (repeat < 0 || repeat > 255) {
    ops::complain("repeat-range", api, site, std::string(api) + " with repeatTime " + std::to_string(repeat) + ".",
                  "repeatTime is 0 to 255: each sorts 32 elements; loop over chunks.");
    return;
  }
  if (repeat == 0) return;
  const ops::Groups g{dst.addr, scores.addr, indices.addr, static_cast<uint32_t>(repeat),
                      scores.dtype == DType::kFloat16};
  const uint64_t elements = uint64_t{g.repeats} * ops::kGroup;
  const uint64_t score_bytes = elements * (g.half ? 2 : 4);
  if (ops::meet(dst.addr, elements * ops::kStruct, scores.addr, score_bytes) ||
      ops::meet(dst.addr, elements * ops::kStruct, indices.addr, elements * 4))
    ops::in_place(api, site);
  Instr instr(Pipe::V, api, site);
  instr.reads(contiguous(scores, score_bytes));
  instr.reads(contiguous(indices, elements * 4));
  instr.reads_decide();
  instr.writes(contiguous(dst, elements * ops::kStruct));
  instr.cycles = static_cast<double>(elements) / ops::kRate;
  instr.run([](Machine& machine, const ops::Groups& p) { ops::sort_groups(machine, p); }, g);
  m.issue(instr);
}

void akrt_v_merge_sort(const char* api, const Local& dst, const Local* sources, const MergeCall& call, Site site) {
  Machine& m = Machine::current();
  if (!ops::numbers_ok(api, site, call)) return;
  ops::Merge c;
  c.dst = dst.addr;
  c.queues = call.valid == 3 ? 2 : call.valid == 7 ? 3 : 4;
  c.half = dst.dtype == DType::kFloat16;
  c.suspend = call.suspend;
  ops::require_allocated(api, site, dst);
  for (uint32_t q = 0; q < c.queues; ++q) {
    ops::require_allocated(api, site, sources[q]);
    c.src[q] = sources[q].addr;
    c.length[q] = call.lengths[q];
  }
  c.repeats = ops::repeats_of(c, call.repeat);
  if (c.repeats == 0) return;
  const uint64_t structs = uint64_t{c.repeats} * ops::total(c);
  Instr instr(Pipe::V, api, site);
  bool overlaps = false;
  if (c.repeats > 1) {
    // The queues of all repeats are one stretch, which is taken to belong to the first tensor's buffer.
    instr.reads(contiguous(sources[0], structs * ops::kStruct).aligned(8));
    overlaps = ops::meet(dst.addr, structs * ops::kStruct, c.src[0], structs * ops::kStruct);
  } else {
    for (uint32_t q = 0; q < c.queues; ++q) {
      const uint64_t bytes = uint64_t{c.length[q]} * ops::kStruct;
      instr.reads(contiguous(sources[q], bytes).aligned(8));
      overlaps |= ops::meet(dst.addr, structs * ops::kStruct, c.src[q], bytes);
    }
  }
  if (overlaps) ops::in_place(api, site);
  instr.reads_decide();
  if (!c.suspend) instr.writes(contiguous(dst, structs * ops::kStruct));
  instr.writes(Machine::spr(Registers::kMrgSort));
  instr.cycles = static_cast<double>(structs) / ops::kRate;
  instr.run([](Machine& machine, const ops::Merge& p) { ops::merge(machine, p); }, c);
  m.issue(instr);
}
}
