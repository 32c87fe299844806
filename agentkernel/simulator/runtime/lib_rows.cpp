// Library reductions over the rows or the columns of a matrix: Sum, Mean, the pattern reductions, ReduceXorSum, CumSum.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "lib.h"
#include "ops_bodies.h"
#include "shared/library_scratch.h"

namespace akrt::lib {

namespace {

struct Rows {
  RowOp op;
  uint32_t dst, src, rows, used, stride;  // stride in bytes
  DType type;
  bool half;  // every step is rounded to half
  bool saturate;
  bool columns;
};

float identity(RowOp op) {
  switch (op) {
    case RowOp::kMax: return -std::numeric_limits<float>::infinity();
    case RowOp::kMin: return std::numeric_limits<float>::infinity();
    case RowOp::kProd:
    case RowOp::kAll: return 1;
    default: return 0;
  }
}

float combine(RowOp op, float a, float b) {
  switch (op) {
    case RowOp::kMax:
    case RowOp::kAny: return ops::vector_max(a, b);
    case RowOp::kMin:
    case RowOp::kAll: return ops::vector_min(a, b);
    case RowOp::kProd: return a * b;
    default: return a + b;
  }
}

bool is_sum(RowOp op) { return op == RowOp::kSum || op == RowOp::kMean; }

void round_half(float* x, size_t n, bool saturate) {
  uint16_t bits[kChunk];
  for (size_t at = 0; at < n; at += kChunk) {
    const size_t k = std::min(kChunk, n - at);
    ops::float_to_half(x + at, bits, k, saturate);
    ops::half_to_float(bits, x + at, k);
  }
}

void load_row(float* x, const uint8_t* from, const Rows& r) {
  if (r.type == DType::kUint8)
    for (uint32_t i = 0; i < r.used; ++i) x[i] = from[i];
  else
    load(x, from, r.used, r.type);
}

void store_results(uint8_t* to, const float* x, size_t n, const Rows& r) {
  if (r.type == DType::kUint8)
    for (size_t i = 0; i < n; ++i) to[i] = static_cast<uint8_t>(x[i]);
  else
    store(to, x, n, r.type, r.saturate);
}

float one_row(float* x, const Rows& r) {
  if (is_sum(r.op)) return tree_sum_row(x, r.used, r.half, r.saturate);
  float value = identity(r.op);
  for (uint32_t i = 0; i < r.used; ++i) value = combine(r.op, value, x[i]);
  return value;
}

// The rows beyond the largest power of two are folded in, then the rows are halved.
void fold_rows(std::vector<std::vector<float>>& rows, const Rows& r) {
  const auto fold = [&](size_t into, size_t from) {
    for (uint32_t i = 0; i < r.used; ++i) rows[into][i] = combine(r.op, rows[into][i], rows[from][i]);
  };
  size_t half = std::bit_floor(rows.size());
  for (size_t i = half; i < rows.size(); ++i) fold(i - half, i);
  while (half > 1) {
    half /= 2;
    for (size_t i = 0; i < half; ++i) fold(i, i + half);
  }
}

void run_rows(Machine& m, const Rows& r) {
  uint8_t* ub = m.memory(Space::UB);
  const float divisor = 1.0f / static_cast<float>(r.columns ? r.rows : r.used);
  if (r.columns) {
    std::vector<std::vector<float>> rows(r.rows, std::vector<float>(r.used));
    for (uint32_t i = 0; i < r.rows; ++i) load_row(rows[i].data(), ub + r.src + i * r.stride, r);
    fold_rows(rows, r);
    if (r.op == RowOp::kMean)
      for (float& v : rows[0]) v *= divisor;
    store_results(ub + r.dst, rows[0].data(), r.used, r);
    return;
  }
  std::vector<float> x(r.used), results(r.rows);
  for (uint32_t i = 0; i < r.rows; ++i) {
    load_row(x.data(), ub + r.src + i * r.stride, r);
    results[i] = one_row(x.data(), r);
  }
  if (r.op == RowOp::kMean) {
    const float factor = r.half ? ops::half_value(ops::half_bits(divisor)) : divisor;
    for (float& v : results) v *= factor;
    if (r.half) round_half(results.data(), results.size(), r.saturate);
  }
  store_results(ub + r.dst, results.data(), results.size(), r);
}

uint32_t least_scratch(const RowCall& c, DType type) {
  if (c.op != RowOp::kMean || c.columns) return ops::kBlock;
  return std::max(ops::kBlock, akshared::mean_scratch(c.shape.used, dtype_bytes(type), c.in_float ? 4 : 2));
}

struct XorSum {
  uint32_t dst, src0, src1, count;
};

struct Running {
  uint32_t dst, last, src, rows, columns;
  DType type;
  bool along_columns, keep_last, saturate;
};

void run_cum_sum(Machine& m, const Running& r) {
  uint8_t* ub = m.memory(Space::UB);
  const uint32_t stride = r.columns * dtype_bytes(r.type);
  std::vector<float> x(r.columns), sum(r.columns, 0.0f);
  for (uint32_t i = 0; i < r.rows; ++i) {
    load(x.data(), ub + r.src + i * stride, r.columns, r.type);
    if (r.along_columns) {
      for (uint32_t j = 1; j < r.columns; ++j) x[j] += x[j - 1];
      sum = x;
    } else {
      for (uint32_t j = 0; j < r.columns; ++j) sum[j] = i == 0 ? x[j] : sum[j] + x[j];
    }
    store(ub + r.dst + i * stride, sum.data(), r.columns, r.type, r.saturate);
  }
  if (r.keep_last) store(ub + r.last, sum.data(), r.columns, r.type, r.saturate);
}

}  // namespace

}  // namespace akrt::lib

using namespace akrt;

extern "C" {

void akrt_l_rows(const RowCall& c, const Local& dst, const Local& src) {
  Machine& m = Machine::current();
  ops::require_allocated(c.api, c.site, dst);
  ops::require_allocated(c.api, c.site, src);
  const LibShape& s = c.shape;
  if (s.rows == 0) return;
  const uint32_t size = dtype_bytes(src.dtype);
  if (!lib::require(s.used >= 1 && s.used <= s.columns, "count-range", c.api, c.site,
                    " over " + std::to_string(s.used) + " of " + std::to_string(s.columns) + " elements of a row.",
                    "The number of elements that take part is 1 up to the length of a row."))
    return;
  const uint64_t outputs = c.columns ? s.used : s.rows;
  const uint64_t source = (uint64_t{s.rows - 1} * s.columns + s.used) * size;
  if (!lib::within(c.api, c.site, src, source) || !lib::within(c.api, c.site, dst, outputs * size)) return;
  lib::require(uint64_t{s.columns} * size % ops::kBlock == 0, "count-alignment", c.api, c.site,
               " on rows of " + std::to_string(s.columns) + " elements (" + std::to_string(s.columns * size) + " bytes).",
               "Rows are padded to whole blocks of 32 bytes: round the inner length up.");
  lib::require_apart(c.api, c.site, dst, src, outputs * size, source);
  Instr instr(Pipe::V, c.api, c.site);
  instr.reads(strided(src, s.used * size, s.rows, int64_t{s.columns} * size));
  instr.reads_decide();
  instr.writes(contiguous(dst, outputs * size));
  lib::take_scratch(m, instr, {c.api, c.site, c.tmp, lib::least_scratch(c, src.dtype), lib::blocks_of(4 * s.columns)},
                    {&dst, &src});
  const double elements = static_cast<double>(s.rows) * lib::round_up(s.used, 64);
  // Columns are combined at full rate; a row takes a whole-repeat reduction.
  instr.cycles = elements / lib::full_rate(src.dtype) * (c.columns ? 1 : 7);
  const bool half = src.dtype == DType::kFloat16 && !c.in_float;
  instr.run([](Machine& machine, const lib::Rows& r) { lib::run_rows(machine, r); },
            lib::Rows{c.op, dst.addr, src.addr, s.rows, s.used, s.columns * size, src.dtype, half, m.regs().saturate,
                      c.columns});
  m.issue(instr);
}

void akrt_l_xor_sum(const char* api, const Local& dst, const Local& src0, const Local& src1, uint32_t count,
                    const Local* tmp, Site site) {
  Machine& m = Machine::current();
  for (const Local* t : {&dst, &src0, &src1}) ops::require_allocated(api, site, *t);
  if (count == 0 || !lib::within(api, site, src0, 2ull * count) || !lib::within(api, site, src1, 2ull * count)) return;
  lib::require_apart(api, site, dst, src0, 2, 2ull * count);
  lib::require_apart(api, site, dst, src1, 2, 2ull * count);
  Instr instr(Pipe::V, api, site);
  instr.reads(contiguous(src0, 2ull * count));
  instr.reads(contiguous(src1, 2ull * count));
  instr.reads_decide();
  instr.writes(contiguous(dst, 2));
  lib::take_scratch(m, instr, {api, site, tmp, ops::kBlock, lib::blocks_of(2 * count)}, {&dst, &src0, &src1});
  instr.cycles = static_cast<double>(lib::round_up(count, 128)) * (4 + 14) / 128;  // Xor, then a reduction in float
  instr.run(
      [](Machine& machine, const lib::XorSum& x) {
        const uint8_t* ub = machine.memory(Space::UB);
        const auto* a = reinterpret_cast<const int16_t*>(ub + x.src0);
        const auto* b = reinterpret_cast<const int16_t*>(ub + x.src1);
        int64_t sum = 0;
        for (uint32_t i = 0; i < x.count; ++i) sum += static_cast<int16_t>(a[i] ^ b[i]);
        const auto value = static_cast<int16_t>(std::clamp<int64_t>(sum, INT16_MIN, INT16_MAX));
        std::memcpy(machine.memory(Space::UB) + x.dst, &value, 2);
      },
      lib::XorSum{dst.addr, src0.addr, src1.addr, count});
  m.issue(instr);
}

void akrt_l_cum_sum(const char* api, const Local& dst, const Local* last, const Local& src, uint32_t rows,
                    uint32_t columns, bool along_columns, const Local* tmp, Site site) {
  Machine& m = Machine::current();
  ops::require_allocated(api, site, dst);
  ops::require_allocated(api, site, src);
  if (last != nullptr) ops::require_allocated(api, site, *last);
  const uint32_t size = dtype_bytes(src.dtype);
  const uint64_t bytes = uint64_t{rows} * columns * size;
  if (!lib::require(bytes != 0, "count-range", api, site, " of an empty matrix.", "outter and inner are at least 1."))
    return;
  if (!lib::within(api, site, src, bytes) || !lib::within(api, site, dst, bytes)) return;
  if (last != nullptr && !lib::within(api, site, *last, uint64_t{columns} * size)) return;
  lib::require(columns * size % ops::kBlock == 0, "count-alignment", api, site,
               " on rows of " + std::to_string(columns) + " elements (" + std::to_string(columns * size) + " bytes).",
               "inner covers whole blocks of 32 bytes.");
  Instr instr(Pipe::V, api, site);
  instr.reads(contiguous(src, bytes));
  instr.writes(contiguous(dst, bytes));
  if (last != nullptr) instr.writes(contiguous(*last, columns * size));
  lib::take_scratch(m, instr, {api, site, tmp, ops::kBlock, static_cast<uint32_t>(std::min<uint64_t>(bytes, 1 << 20))},
                    {&dst, &src, last});
  // One addition a row; along a row the matrix is transposed before and after.
  instr.cycles = static_cast<double>(rows) * lib::round_up(columns, 64) / 64 * (along_columns ? 3 : 1);
  instr.run([](Machine& machine, const lib::Running& r) { lib::run_cum_sum(machine, r); },
            lib::Running{dst.addr, last != nullptr ? last->addr : 0, src.addr, rows, columns, src.dtype, along_columns,
                         last != nullptr, m.regs().saturate});
  m.issue(instr);
}
}
