// TopK: each row is sorted in full (smallest first: the negated scores), and its first k scores and indices come out.
//
// Equal scores keep their order; NaN comes before everything. Rows of the results start at multiples of 32 bytes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "akrt/abi_layout.h"
#include "lib.h"
#include "shared/library_scratch.h"

namespace akrt::lib {

namespace {

struct Top {
  uint32_t values, indices, src, src_index, finish;
  uint32_t rows, inner, n, k, value_stride, index_stride;
  DType type;
  bool largest, small, given_index, finished_rows;
};

void run_top(Machine& m, const Top& t) {
  uint8_t* ub = m.memory(Space::UB);
  const uint32_t size = dtype_bytes(t.type);
  std::vector<float> score(t.n);
  std::vector<uint32_t> order(t.n);
  for (uint32_t row = 0; row < t.rows; ++row) {
    const uint8_t* from = ub + t.src + row * t.inner * size;
    load(score.data(), from, t.n, t.type);
    if (!t.largest)
      for (float& v : score) v = -v;
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      const bool nan_a = std::isnan(score[a]), nan_b = std::isnan(score[b]);
      return nan_a || nan_b ? nan_a && !nan_b : score[a] > score[b];
    });
    const bool finished = t.finished_rows && ub[t.finish + row] != 0;
    std::vector<uint8_t> kept(size_t{t.k} * size);
    std::vector<int32_t> places(t.k);
    for (uint32_t i = 0; i < t.k; ++i) {
      std::memcpy(&kept[i * size], from + order[i] * size, size);
      places[i] = static_cast<int32_t>(finished ? t.n : order[i]);
      if (!finished && t.given_index)
        std::memcpy(&places[i], ub + t.src_index + 4 * ((t.small ? row * t.inner : 0) + order[i]), 4);
    }
    std::memcpy(ub + t.values + row * t.value_stride, kept.data(), kept.size());
    std::memcpy(ub + t.indices + row * t.index_stride, places.data(), 4 * places.size());
  }
}

bool check_top(const TopCall& c) {
  const std::string lengths = " of " + std::to_string(c.k) + " of " + std::to_string(c.n) + " elements in rows of " +
                              std::to_string(c.inner) + ".";
  if (!require(c.rows != 0 && c.n != 0 && c.n <= c.inner && c.k >= 1 && static_cast<uint32_t>(c.k) <= c.n,
               "illegal-argument", c.api, c.site, lengths, "1 <= k <= n <= inner, and outter is at least 1."))
    return false;
  return require(c.small ? c.inner == 32 : c.inner % 32 == 0 && c.inner <= 4096, "illegal-argument", c.api, c.site, lengths,
                 "inner is a multiple of 32 up to 4096 (pad the rows), and exactly 32 with TOPK_NSMALL.");
}

}  // namespace

}  // namespace akrt::lib

using namespace akrt;

extern "C" {

void akrt_l_top_k(const TopCall& c, const Local& values, const Local& indices, const Local& src, const Local& src_index) {
  Machine& m = Machine::current();
  for (const Local* t : {&values, &indices, &src, c.finish, c.given_index ? &src_index : nullptr})
    if (t != nullptr) ops::require_allocated(c.api, c.site, *t);
  if (!lib::check_top(c)) return;
  const uint32_t size = dtype_bytes(src.dtype);
  const auto k = static_cast<uint32_t>(c.k);
  const uint32_t value_stride = lib::blocks_of(k * size), index_stride = lib::blocks_of(k * 4);
  const uint64_t src_bytes = uint64_t{c.rows} * c.inner * size;
  const uint64_t index_bytes = uint64_t{c.small ? c.rows : 1} * c.inner * 4;
  if (!lib::within(c.api, c.site, src, src_bytes)) return;
  if (!lib::within(c.api, c.site, values, uint64_t{c.rows - 1} * value_stride + k * size)) return;
  if (!lib::within(c.api, c.site, indices, uint64_t{c.rows - 1} * index_stride + k * 4)) return;
  if (c.given_index && !lib::within(c.api, c.site, src_index, index_bytes)) return;
  if (c.finish != nullptr && !lib::within(c.api, c.site, *c.finish, c.rows)) return;
  Instr instr(Pipe::V, c.api, c.site);
  instr.reads(strided(src, c.n * size, c.rows, int64_t{c.inner} * size));
  if (c.given_index) instr.reads(strided(src_index, c.n * 4, c.small ? c.rows : 1, int64_t{c.inner} * 4));
  if (c.finish != nullptr) instr.reads(contiguous(*c.finish, c.rows));
  instr.writes(strided(values, k * size, c.rows, value_stride));
  instr.writes(strided(indices, k * 4, c.rows, index_stride));
  const uint32_t least = akshared::topk_scratch(c.inner, c.given_index);
  lib::take_scratch(m, instr, {c.api, c.site, c.tmp, least, least}, {&values, &indices, &src});
  // Sort32 and every four-way merge handle two pairs a cycle; GatherMask once for each result.
  int passes = 1;
  for (uint32_t sorted = 32; sorted < c.inner; sorted *= 4) ++passes;
  instr.cycles = c.rows * (passes * c.inner / 2.0 + 2.0 * k * 8 / size / (size == 2 ? 64 : 32) + (c.largest ? 0 : c.inner / 64.0));
  instr.run([](Machine& machine, const lib::Top& t) { lib::run_top(machine, t); },
            lib::Top{values.addr, indices.addr, src.addr, src_index.addr, c.finish != nullptr ? c.finish->addr : 0, c.rows,
                     c.inner, c.n, k, value_stride, index_stride, src.dtype, c.largest, c.small, c.given_index,
                     c.finish != nullptr});
  m.issue(instr);
}
}
