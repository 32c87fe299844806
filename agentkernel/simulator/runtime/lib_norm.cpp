// LayerNorm, DeepNorm, RmsNorm, Normalize, GroupNorm and BatchNorm.
//
// The arithmetic is in float; half data are widened first and results rounded once. A call is two instructions: the
// statistics of each row, and the rows themselves.
#include "lib_norm.h"

#include <bit>
#include <cmath>

#include "ops_reduce.h"
#include "shared/library_scratch.h"

namespace akrt::lib {

float folded_sum(std::vector<float>& x) {
  size_t half = std::bit_floor(x.size());
  for (size_t i = half; i < x.size(); ++i) x[i - half] += x[i];
  for (; half > 64; half /= 2)
    for (size_t i = 0; i < half / 2; ++i) x[i] += x[i + half / 2];
  return ops::tree_sum(x.data(), static_cast<uint32_t>(half), false, false);
}

bool check_rows(const char* api, Site site, const LibShape& s, uint32_t size) {
  if (!require(s.rows != 0 && s.columns != 0 && s.used != 0 && s.used <= s.columns, "illegal-argument", api, site,
               " of " + std::to_string(s.rows) + " rows of " + std::to_string(s.columns) + " elements, " +
                   std::to_string(s.used) + " of them used.",
               "The tiling (or the shape argument) gives rows, row length in memory and used length, none of them 0."))
    return false;
  require(s.columns * size % ops::kBlock == 0, "count-alignment", api, site,
          " on rows of " + std::to_string(s.columns) + " elements (" + std::to_string(s.columns * size) + " bytes).",
          "Rows cover whole blocks of 32 bytes in memory: pad them.");
  return true;
}

bool has_padding(const LibShape& s) { return s.used != s.columns; }

Access used_part(const Local& t, const LibShape& s) {
  const uint32_t size = dtype_bytes(t.dtype);
  return has_padding(s) ? strided(t, s.used * size, s.rows, int64_t{s.columns} * size)
                        : contiguous(t, uint64_t{s.rows} * s.columns * size);
}

Access padding(const Local& t, const LibShape& s) {
  const uint32_t size = dtype_bytes(t.dtype);
  Access rest = strided(t, (s.columns - s.used) * size, s.rows, int64_t{s.columns} * size).aligned(1);
  rest.base += s.used * size;
  rest.undefined = true;
  return rest;
}

bool holds(const char* api, Site site, const Local* t, uint64_t count) {
  return t == nullptr || within(api, site, *t, count * dtype_bytes(t->dtype));
}

namespace {

struct Norm {
  NormOp op;
  bool saturate;
  uint32_t rows, columns, used, groups, channel;
  float epsilon, alpha;
  View dst, src, second, mean, spread, variance, gamma, beta;
};

void load_row(const Norm& n, const uint8_t* ub, uint32_t row, std::vector<float>& x, std::vector<float>& y) {
  n.src.get(ub, size_t{row} * n.columns, x.data(), n.used);
  if (n.op != NormOp::kDeep) return;
  n.second.get(ub, size_t{row} * n.columns, y.data(), n.used);
  for (uint32_t i = 0; i < n.used; ++i) x[i] = n.alpha * x[i] + y[i];
}

struct Moments {
  float mean, variance;
};

// Leaves x as it was.
Moments moments(const Norm& n, const std::vector<float>& x) {
  const float share = 1.0f / static_cast<float>(n.used);
  std::vector<float> work(x);
  if (n.op == NormOp::kRms) {
    for (float& v : work) v = v * v * share;
    return {0, tree_sum_row(work.data(), work.size(), false, false)};
  }
  const bool folded = n.op == NormOp::kLayerRstd;
  const auto sum = [&] { return folded ? folded_sum(work) : tree_sum_row(work.data(), work.size(), false, false); };
  if (!folded)
    for (float& v : work) v *= share;
  const float mean = sum() * (folded ? share : 1.0f);
  for (uint32_t i = 0; i < n.used; ++i) work[i] = (x[i] - mean) * (x[i] - mean) * (folded ? 1.0f : share);
  return {mean, sum() * (folded ? share : 1.0f)};
}

Moments moments_of(const Norm& n, const uint8_t* ub, uint32_t row, const std::vector<float>& x) {
  if (n.op == NormOp::kNormalize) return {n.mean.at(ub, row), n.variance.at(ub, row)};
  return moments(n, x);
}

float rstd(const Norm& n, float variance) { return 1.0f / std::sqrt(variance + n.epsilon); }

void run_statistics(Machine& m, const Norm& n) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> x(n.used), y(n.used);
  for (uint32_t row = 0; row < n.rows; ++row) {
    if (n.op != NormOp::kNormalize) load_row(n, ub, row, x, y);
    const Moments found = moments_of(n, ub, row, x);
    const bool reciprocal = n.op == NormOp::kLayerRstd || n.op == NormOp::kNormalize;
    const float spread = reciprocal ? rstd(n, found.variance) : found.variance;
    if (n.mean.there && n.op != NormOp::kNormalize) n.mean.put(ub, row, &found.mean, 1, n.saturate);
    if (n.spread.there) n.spread.put(ub, row, &spread, 1, n.saturate);
  }
}

void run_rows(Machine& m, const Norm& n) {
  uint8_t* ub = m.memory(Space::UB);
  const uint32_t channels = n.op == NormOp::kGroup ? n.groups * (n.columns / n.channel) : n.used;
  std::vector<float> x(n.used), y(n.used), gamma(channels, 1.0f), beta(channels, 0.0f);
  if (n.gamma.there) n.gamma.get(ub, 0, gamma.data(), channels);
  if (n.beta.there) n.beta.get(ub, 0, beta.data(), channels);
  for (uint32_t row = 0; row < n.rows; ++row) {
    load_row(n, ub, row, x, y);
    const Moments found = moments_of(n, ub, row, x);
    const float scale = rstd(n, found.variance);
    const uint32_t first = row % n.groups * (n.columns / n.channel);
    for (uint32_t i = 0; i < n.used; ++i) {
      const uint32_t at = n.op == NormOp::kGroup ? first + i / n.channel : i;
      x[i] = (n.op == NormOp::kRms ? x[i] : x[i] - found.mean) * scale * gamma[at] + beta[at];
    }
    n.dst.put(ub, size_t{row} * n.columns, x.data(), n.used, n.saturate);
  }
}

// BatchNorm: a column over all rows.
void batch_moments(const Norm& n, const uint8_t* ub, std::vector<float>& mean, std::vector<float>& variance) {
  const float share = 1.0f / static_cast<float>(n.rows);
  std::vector<float> x(n.columns);
  mean.assign(n.columns, 0.0f);
  variance.assign(n.columns, 0.0f);
  for (uint32_t row = 0; row < n.rows; ++row) {
    n.src.get(ub, size_t{row} * n.columns, x.data(), n.columns);
    for (uint32_t i = 0; i < n.columns; ++i) mean[i] += x[i] * share;
  }
  for (uint32_t row = 0; row < n.rows; ++row) {
    n.src.get(ub, size_t{row} * n.columns, x.data(), n.columns);
    for (uint32_t i = 0; i < n.columns; ++i) variance[i] += (x[i] - mean[i]) * (x[i] - mean[i]) * share;
  }
}

void run_batch_statistics(Machine& m, const Norm& n) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> mean, variance;
  batch_moments(n, ub, mean, variance);
  n.mean.put(ub, 0, mean.data(), n.columns, n.saturate);
  n.spread.put(ub, 0, variance.data(), n.columns, n.saturate);
}

void run_batch_rows(Machine& m, const Norm& n) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> mean, variance, x(n.columns);
  batch_moments(n, ub, mean, variance);
  for (uint32_t row = 0; row < n.rows; ++row) {
    n.src.get(ub, size_t{row} * n.columns, x.data(), n.columns);
    const float gamma = n.gamma.at(ub, row), beta = n.beta.at(ub, row);
    for (uint32_t i = 0; i < n.columns; ++i) x[i] = (x[i] - mean[i]) * rstd(n, variance[i]) * gamma + beta;
    n.dst.put(ub, size_t{row} * n.columns, x.data(), n.columns, n.saturate);
  }
}

bool check_basic(const NormCall& c) {
  if (!c.basic) return true;
  const LibShape& s = c.shape;
  const bool shape = s.columns % 64 == 0 && s.columns < 2048 && s.rows % 8 == 0;
  return require(shape, "illegal-argument", c.api, c.site,
                 " with isBasicBlock on " + std::to_string(s.rows) + " rows of " + std::to_string(s.columns) + " elements.",
                 "Basic blocks have a multiple of 8 rows of a multiple of 64 elements, fewer than 2048.");
}

bool check_shape(const NormCall& c, uint32_t size) {
  const LibShape& s = c.shape;
  if (c.op == NormOp::kGroup)
    return require(s.rows != 0 && s.columns != 0 && c.channel != 0 && s.columns % c.channel == 0 && c.groups != 0,
                   "illegal-argument", c.api, c.site, " of an empty tensor, or with channels that fill no group.",
                   "The number of channels is a multiple of the number of groups; no length is 0.");
  if (!check_rows(c.api, c.site, s, size)) return false;
  if (c.op == NormOp::kDeep)
    require(s.columns <= 2040, "illegal-argument", c.api, c.site, " on rows of " + std::to_string(s.columns) + " elements.",
            "H is at most 2040.");
  if (c.op == NormOp::kBatch)
    require(s.rows * size % ops::kBlock == 0, "count-alignment", c.api, c.site,
            " over " + std::to_string(s.rows) + " batches (" + std::to_string(s.rows * size) + " bytes of gamma).",
            "Gamma and beta, one value a batch, cover whole blocks of 32 bytes.");
  return check_basic(c);
}

// Elements that the call works on, per tensor besides the data.
struct Extents {
  uint64_t statistics, affine;
};
Extents extents(const NormCall& c) {
  if (c.op == NormOp::kBatch) return {c.shape.columns, c.shape.rows};
  if (c.op == NormOp::kGroup) return {c.shape.rows, uint64_t{c.groups} * (c.shape.columns / c.channel)};
  return {c.shape.rows, c.shape.used};
}

bool check_tensors(const NormCall& c, const Local& dst, const Local& src) {
  const uint64_t elements = uint64_t{c.shape.rows} * c.shape.columns;
  const Extents e = extents(c);
  for (const Local* t : {&dst, &src, c.second})
    if (!holds(c.api, c.site, t, elements)) return false;
  for (const Local* t : {c.mean, c.spread, c.variance})
    if (!holds(c.api, c.site, t, e.statistics)) return false;
  for (const Local* t : {c.gamma, c.beta})
    if (!holds(c.api, c.site, t, e.affine)) return false;
  const uint64_t bytes = elements * dtype_bytes(dst.dtype);
  if (c.op == NormOp::kLayerRstd || c.op == NormOp::kNormalize || c.op == NormOp::kGroup)
    require_apart(c.api, c.site, dst, src, bytes, bytes);
  if (c.op == NormOp::kRms) require_apart(c.api, c.site, dst, *c.gamma, bytes, e.affine * dtype_bytes(c.gamma->dtype));
  return true;
}

Access vector(const Local& t, uint64_t count) { return contiguous(t, count * dtype_bytes(t.dtype)); }

uint32_t least_scratch(const NormCall& c, uint32_t size) {
  return c.op == NormOp::kBatch ? akshared::batch_norm_scratch(c.shape.columns, size)
                                : akshared::norm_row_scratch(c.shape.columns, size);
}

// Instructions of one element: what the formulas of statistics and rows need, and half's way to float and back.
constexpr double kMomentSteps = 6, kRmsSteps = 3, kGivenSteps = 0, kRowSteps = 4;

}  // namespace

}  // namespace akrt::lib

using namespace akrt;

extern "C" {

void akrt_l_norm(const NormCall& c, const Local& dst, const Local& src) {
  Machine& m = Machine::current();
  for (const Local* t : {&dst, &src, c.mean, c.spread, c.variance, c.gamma, c.beta, c.second})
    if (t != nullptr) ops::require_allocated(c.api, c.site, *t);
  const uint32_t size = dtype_bytes(src.dtype);
  if (!lib::check_shape(c, size) || !lib::check_tensors(c, dst, src)) return;
  const lib::Extents e = lib::extents(c);
  const lib::Norm n{c.op, m.regs().saturate, c.shape.rows, c.shape.columns, c.shape.used, c.groups, c.channel, c.epsilon,
                    c.alpha, lib::View(&dst), lib::View(&src), lib::View(c.second), lib::View(c.mean), lib::View(c.spread),
                    lib::View(c.variance), lib::View(c.gamma), lib::View(c.beta)};
  const bool given = c.op == NormOp::kNormalize;
  const bool batch = c.op == NormOp::kBatch;
  const double elements = static_cast<double>(c.shape.rows) * lib::round_up(c.shape.columns, 64);
  const double widening = size == 2 ? 1 : 0;

  Instr first(Pipe::V, c.api, c.site);
  if (given) {
    first.reads(lib::vector(*c.variance, e.statistics));
  } else {
    first.reads(lib::used_part(src, c.shape));
    if (c.second != nullptr) first.reads(lib::used_part(*c.second, c.shape));
    if (c.mean != nullptr) first.writes(lib::vector(*c.mean, e.statistics));
  }
  if (c.spread != nullptr) first.writes(lib::vector(*c.spread, e.statistics));
  if (lib::has_padding(c.shape)) first.writes(lib::padding(dst, c.shape));
  const uint32_t least = lib::least_scratch(c, size);
  lib::take_scratch(m, first, {c.api, c.site, c.tmp, least, least}, {&dst, &src, c.gamma, c.beta, c.mean, c.spread});
  first.cycles = elements * (c.op == NormOp::kRms ? lib::kRmsSteps : given ? lib::kGivenSteps : lib::kMomentSteps + widening) / 64 +
                 c.shape.rows;
  if (batch) first.run([](Machine& machine, const lib::Norm& p) { lib::run_batch_statistics(machine, p); }, n);
  else first.run([](Machine& machine, const lib::Norm& p) { lib::run_statistics(machine, p); }, n);
  m.issue(first);

  Instr rows(Pipe::V, c.api, c.site);
  rows.reads(lib::used_part(src, c.shape));
  if (c.second != nullptr) rows.reads(lib::used_part(*c.second, c.shape));
  if (given) {
    rows.reads(lib::vector(*c.mean, e.statistics));
    rows.reads(lib::vector(*c.variance, e.statistics));
  }
  if (c.gamma != nullptr) rows.reads(lib::vector(*c.gamma, e.affine));
  if (c.beta != nullptr) rows.reads(lib::vector(*c.beta, e.affine));
  rows.writes(lib::used_part(dst, c.shape));
  rows.cycles = elements * (lib::kRowSteps + widening) / 64;
  if (batch) rows.run([](Machine& machine, const lib::Norm& p) { lib::run_batch_rows(machine, p); }, n);
  else rows.run([](Machine& machine, const lib::Norm& p) { lib::run_rows(machine, p); }, n);
  m.issue(rows);
}
}
