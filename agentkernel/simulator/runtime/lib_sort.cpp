// Sorting of (score, index) pairs: descending, equal scores in their order, NaN before everything.
//
// A pair takes 8 bytes: the score in the lowest 2 or 4, the index in the highest 4.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "lib.h"

namespace akrt::lib {

namespace {

constexpr uint32_t kPairs = 32;  // of one repeat
constexpr uint32_t kPairBytes = 8;

struct Sorting {
  uint32_t dst, scores, index, count, group;
  DType type;
};

void run_sort(Machine& m, const Sorting& s) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> score(s.count);
  load(score.data(), ub + s.scores, s.count, s.type);
  std::vector<uint32_t> order(s.count);
  std::iota(order.begin(), order.end(), 0u);
  const auto before = [&](uint32_t a, uint32_t b) {
    const bool nan_a = std::isnan(score[a]), nan_b = std::isnan(score[b]);
    return nan_a || nan_b ? nan_a && !nan_b : score[a] > score[b];
  };
  for (uint32_t at = 0; at < s.count; at += s.group) {
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(at);
    std::stable_sort(first, first + static_cast<std::ptrdiff_t>(s.group), before);
  }
  std::vector<uint8_t> pairs(size_t{s.count} * kPairBytes, 0);
  const uint32_t size = dtype_bytes(s.type);
  for (uint32_t i = 0; i < s.count; ++i) {
    std::memcpy(&pairs[i * kPairBytes], ub + s.scores + order[i] * size, size);
    std::memcpy(&pairs[i * kPairBytes + 4], ub + s.index + order[i] * 4, 4);
  }
  std::memcpy(ub + s.dst, pairs.data(), pairs.size());
}

struct Extraction {
  uint32_t values, index, sorted, count, size;
};

void run_extract(Machine& m, const Extraction& e) {
  uint8_t* ub = m.memory(Space::UB);
  for (uint32_t i = 0; i < e.count; ++i) {
    std::memmove(ub + e.values + i * e.size, ub + e.sorted + i * kPairBytes, e.size);
    std::memmove(ub + e.index + i * 4, ub + e.sorted + i * kPairBytes + 4, 4);
  }
}

bool check_repeat(const char* api, Site site, int32_t repeat) {
  return require(repeat >= 0 && repeat <= 255, "repeat-range", api, site,
                 " with repeatTime " + std::to_string(repeat) + ".", "repeatTime is 0 to 255, 32 elements each.");
}

}  // namespace

}  // namespace akrt::lib

using namespace akrt;

extern "C" {

void akrt_l_sort(const char* api, const Local& dst, const Local& scores, const Local& index, const Local* tmp,
                 int32_t repeat, bool full, Site site) {
  Machine& m = Machine::current();
  for (const Local* t : {&dst, &scores, &index}) ops::require_allocated(api, site, *t);
  if (!lib::check_repeat(api, site, repeat) || repeat == 0) return;
  const auto count = static_cast<uint32_t>(repeat) * lib::kPairs;
  const uint32_t size = dtype_bytes(scores.dtype);
  if (!lib::within(api, site, dst, count * lib::kPairBytes) || !lib::within(api, site, scores, count * size) ||
      !lib::within(api, site, index, count * 4))
    return;
  for (const Local* t : {&scores, &index})
    lib::require_apart(api, site, dst, *t, count * lib::kPairBytes, count * dtype_bytes(t->dtype));
  Instr instr(Pipe::V, api, site);
  instr.reads(contiguous(scores, count * size));
  instr.reads(contiguous(index, count * 4));
  instr.writes(contiguous(dst, count * lib::kPairBytes));
  if (full && tmp != nullptr) lib::take_scratch(m, instr, {api, site, tmp, ops::kBlock, count * lib::kPairBytes}, {&dst, &scores, &index});
  // Sort32 and every four-way merge handle two pairs a cycle.
  int passes = 1;
  for (uint32_t sorted = lib::kPairs; full && sorted < count; sorted *= 4) ++passes;
  instr.cycles = passes * count / 2.0;
  instr.run([](Machine& machine, const lib::Sorting& s) { lib::run_sort(machine, s); },
            lib::Sorting{dst.addr, scores.addr, index.addr, count, full ? count : lib::kPairs, scores.dtype});
  m.issue(instr);
}

void akrt_l_extract(const char* api, const Local& values, const Local& index, const Local& sorted, int32_t repeat,
                    Site site) {
  Machine& m = Machine::current();
  for (const Local* t : {&values, &index, &sorted}) ops::require_allocated(api, site, *t);
  if (!lib::check_repeat(api, site, repeat) || repeat == 0) return;
  const auto count = static_cast<uint32_t>(repeat) * lib::kPairs;
  const uint32_t size = dtype_bytes(values.dtype);
  if (!lib::within(api, site, sorted, count * lib::kPairBytes) || !lib::within(api, site, values, count * size) ||
      !lib::within(api, site, index, count * 4))
    return;
  Instr instr(Pipe::V, api, site);
  instr.reads(strided(sorted, size, count, lib::kPairBytes));
  Access upper = strided(sorted, 4, count, lib::kPairBytes).aligned(1);
  upper.base += 4;
  instr.reads(upper);
  instr.writes(contiguous(values, count * size));
  instr.writes(contiguous(index, count * 4));
  instr.cycles = 2.0 * count * lib::kPairBytes / size / (size == 2 ? 64 : 32);  // GatherMask once for each result
  instr.run([](Machine& machine, const lib::Extraction& e) { lib::run_extract(machine, e); },
            lib::Extraction{values.addr, index.addr, sorted.addr, count, size});
  m.issue(instr);
}
}
