// Gradients of LayerNorm, and Welford's running mean and variance. Everything is computed in float.
#include <cmath>

#include "lib_norm.h"
#include "shared/library_scratch.h"

namespace akrt::lib {

namespace {

struct Grad {
  bool saturate;
  uint32_t rows, columns, used;
  float epsilon;
  View dx, for_gamma, dy, src, mean, variance, gamma;
};

float rstd_of(const Grad& g, const uint8_t* ub, uint32_t row) {
  return 1.0f / std::sqrt(g.variance.at(ub, row) + g.epsilon);
}

void run_for_gamma(Machine& m, const Grad& g) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> x(g.used);
  for (uint32_t row = 0; row < g.rows; ++row) {
    g.src.get(ub, size_t{row} * g.columns, x.data(), g.used);
    const float mean = g.mean.at(ub, row), rstd = rstd_of(g, ub, row);
    for (float& v : x) v = (v - mean) * rstd;
    g.for_gamma.put(ub, size_t{row} * g.columns, x.data(), g.used, g.saturate);
  }
}

// dx = d * rstd + dvar * 2 / H * (x - mean) + dmean / H with d = dy * gamma.
void run_dx(Machine& m, const Grad& g) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> x(g.used), d(g.used), gamma(g.used), work(g.used);
  g.gamma.get(ub, 0, gamma.data(), g.used);
  const float share = 1.0f / static_cast<float>(g.used);
  const auto sum = [&](auto f) {
    for (uint32_t i = 0; i < g.used; ++i) work[i] = f(i);
    return tree_sum_row(work.data(), g.used, false, false);
  };
  for (uint32_t row = 0; row < g.rows; ++row) {
    g.src.get(ub, size_t{row} * g.columns, x.data(), g.used);
    g.dy.get(ub, size_t{row} * g.columns, d.data(), g.used);
    const float mean = g.mean.at(ub, row), rstd = rstd_of(g, ub, row);
    const float cubed = rstd * rstd * rstd;
    for (uint32_t i = 0; i < g.used; ++i) x[i] -= mean, d[i] *= gamma[i];
    const float dvar = sum([&](uint32_t i) { return -0.5f * d[i] * x[i] * cubed; });
    const float dmean = sum([&](uint32_t i) { return -d[i] * rstd; }) +
                        dvar * share * sum([&](uint32_t i) { return -2.0f * x[i]; });
    for (uint32_t i = 0; i < g.used; ++i) x[i] = d[i] * rstd + dvar * (2.0f * share) * x[i] + dmean * share;
    g.dx.put(ub, size_t{row} * g.columns, x.data(), g.used, g.saturate);
  }
}

struct GradBeta {
  bool saturate;
  uint32_t rows, columns, used;
  View dgamma, dbeta, for_gamma, dy;
};

void run_grad_beta(Machine& m, const GradBeta& g) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> x(g.used), d(g.used), dgamma(g.used, 0.0f), dbeta(g.used, 0.0f);
  for (uint32_t row = 0; row < g.rows; ++row) {
    g.for_gamma.get(ub, size_t{row} * g.columns, x.data(), g.used);
    g.dy.get(ub, size_t{row} * g.columns, d.data(), g.used);
    for (uint32_t i = 0; i < g.used; ++i) dgamma[i] += d[i] * x[i], dbeta[i] += d[i];
  }
  g.dgamma.put(ub, 0, dgamma.data(), g.used, g.saturate);
  g.dbeta.put(ub, 0, dbeta.data(), g.used, g.saturate);
}

struct Update {
  uint32_t compute;
  float reciprocal;
  View mean, variance, in_mean, in_variance, src;
};

void run_update(Machine& m, const Update& u) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> x(u.compute), mean(u.compute), variance(u.compute);
  u.src.get(ub, 0, x.data(), u.compute);
  u.in_mean.get(ub, 0, mean.data(), u.compute);
  u.in_variance.get(ub, 0, variance.data(), u.compute);
  for (uint32_t i = 0; i < u.compute; ++i) {
    const float before = x[i] - mean[i];
    mean[i] += before * u.reciprocal;
    variance[i] += before * (x[i] - mean[i]);
  }
  u.mean.put(ub, 0, mean.data(), u.compute, false);
  u.variance.put(ub, 0, variance.data(), u.compute, false);
}

struct Final {
  uint32_t rows, length, head_count, head_length, tail_count, counts;
  bool weighted, counted;
  float length_reciprocal, total_reciprocal;
  View mean, variance, in_mean, in_variance;
};

// Without counts every piece weighs the same; else each mean counts as often as samples went into it.
void run_final(Machine& m, const Final& f) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> mean(f.length), variance(f.length), weight(f.length), work(f.length);
  f.in_mean.get(ub, 0, mean.data(), f.length);
  f.in_variance.get(ub, 0, variance.data(), f.length);
  const auto* counts = reinterpret_cast<const int32_t*>(ub + f.counts);
  for (uint32_t i = 0; i < f.length; ++i)
    weight[i] = static_cast<float>(f.counted ? counts[i]
                                   : !f.weighted ? static_cast<int32_t>(f.rows)
                                                 : static_cast<int32_t>(i < f.head_length ? f.head_count : f.tail_count));
  const auto sum = [&](auto g) {
    for (uint32_t i = 0; i < f.length; ++i) work[i] = g(i);
    return tree_sum_row(work.data(), f.length, false, false);
  };
  const bool even = !f.weighted && !f.counted;
  const float average = sum([&](uint32_t i) {
    return even ? mean[i] * f.length_reciprocal : weight[i] * mean[i] * f.total_reciprocal;
  });
  const float within = sum([&](uint32_t i) { return variance[i]; });
  const float between = sum([&](uint32_t i) { return weight[i] * (mean[i] - average) * (mean[i] - average); });
  const float spread = (within + between) * f.total_reciprocal;
  f.mean.put(ub, 0, &average, 1, false);
  f.variance.put(ub, 0, &spread, 1, false);
}

bool check_all(const char* api, Site site, std::initializer_list<const Local*> tensors, uint64_t count) {
  for (const Local* t : tensors)
    if (!holds(api, site, t, count)) return false;
  return true;
}

Access vector(const Local& t, uint64_t count) { return contiguous(t, count * dtype_bytes(t.dtype)); }

double elements_of(const LibShape& s) { return static_cast<double>(s.rows) * round_up(s.columns, 64); }

}  // namespace

}  // namespace akrt::lib

using namespace akrt;

extern "C" {

void akrt_l_norm_grad(const NormCall& c, const Local& dx, const Local& for_gamma, const Local& dy, const Local& src) {
  Machine& m = Machine::current();
  for (const Local* t : {&dx, &for_gamma, &dy, &src, c.mean, c.variance, c.gamma})
    ops::require_allocated(c.api, c.site, *t);
  const uint32_t size = dtype_bytes(src.dtype);
  if (!lib::check_rows(c.api, c.site, c.shape, size)) return;
  if (!lib::check_all(c.api, c.site, {&dx, &for_gamma, &dy, &src}, uint64_t{c.shape.rows} * c.shape.columns) ||
      !lib::check_all(c.api, c.site, {c.mean, c.variance}, c.shape.rows) || !lib::holds(c.api, c.site, c.gamma, c.shape.used))
    return;
  const lib::Grad g{m.regs().saturate, c.shape.rows, c.shape.columns, c.shape.used, c.epsilon, lib::View(&dx),
                    lib::View(&for_gamma), lib::View(&dy), lib::View(&src), lib::View(c.mean), lib::View(c.variance),
                    lib::View(c.gamma)};
  Instr first(Pipe::V, c.api, c.site);
  first.reads(lib::used_part(src, c.shape));
  first.reads(lib::vector(*c.mean, c.shape.rows));
  first.reads(lib::vector(*c.variance, c.shape.rows));
  first.writes(lib::used_part(for_gamma, c.shape));
  const uint32_t least = akshared::norm_grad_scratch(c.shape.columns, size);
  lib::take_scratch(m, first, {c.api, c.site, c.tmp, least, least}, {&dx, &for_gamma, &dy, &src, c.gamma});
  first.cycles = lib::elements_of(c.shape) * 3 / 64 + 3.0 * c.shape.rows;
  first.run([](Machine& machine, const lib::Grad& p) { lib::run_for_gamma(machine, p); }, g);
  m.issue(first);
  Instr rows(Pipe::V, c.api, c.site);
  rows.reads(lib::used_part(dy, c.shape));
  rows.reads(lib::used_part(src, c.shape));
  rows.reads(lib::vector(*c.mean, c.shape.rows));
  rows.reads(lib::vector(*c.variance, c.shape.rows));
  rows.reads(lib::vector(*c.gamma, c.shape.used));
  rows.writes(lib::used_part(dx, c.shape));
  rows.cycles = lib::elements_of(c.shape) * 14 / 64;  // the products and the three sums of run_dx
  rows.run([](Machine& machine, const lib::Grad& p) { lib::run_dx(machine, p); }, g);
  m.issue(rows);
}

void akrt_l_norm_grad_beta(const NormCall& c, const Local& dgamma, const Local& dbeta, const Local& for_gamma,
                           const Local& dy) {
  Machine& m = Machine::current();
  for (const Local* t : {&dgamma, &dbeta, &for_gamma, &dy}) ops::require_allocated(c.api, c.site, *t);
  const uint32_t size = dtype_bytes(dy.dtype);
  if (!lib::check_rows(c.api, c.site, c.shape, size)) return;
  if (!lib::check_all(c.api, c.site, {&for_gamma, &dy}, uint64_t{c.shape.rows} * c.shape.columns) ||
      !lib::check_all(c.api, c.site, {&dgamma, &dbeta}, c.shape.used))
    return;
  Instr instr(Pipe::V, c.api, c.site);
  instr.reads(lib::used_part(for_gamma, c.shape));
  instr.reads(lib::used_part(dy, c.shape));
  instr.writes(lib::vector(dgamma, c.shape.used));
  instr.writes(lib::vector(dbeta, c.shape.used));
  const uint32_t least = akshared::norm_grad_beta_scratch(c.shape.columns, size);
  lib::take_scratch(m, instr, {c.api, c.site, c.tmp, least, least}, {&dgamma, &dbeta, &for_gamma, &dy});
  instr.cycles = lib::elements_of(c.shape) * (size == 2 ? 5 : 3) / 64;
  instr.run([](Machine& machine, const lib::GradBeta& p) { lib::run_grad_beta(machine, p); },
            lib::GradBeta{m.regs().saturate, c.shape.rows, c.shape.columns, c.shape.used, lib::View(&dgamma),
                          lib::View(&dbeta), lib::View(&for_gamma), lib::View(&dy)});
  m.issue(instr);
}

void akrt_l_welford_update(const WelfordStep& c, const Local& mean, const Local& variance, const Local& in_mean,
                           const Local& in_variance, const Local& src) {
  Machine& m = Machine::current();
  for (const Local* t : {&mean, &variance, &in_mean, &in_variance, &src}) ops::require_allocated(c.api, c.site, *t);
  const uint32_t size = dtype_bytes(src.dtype);
  if (!lib::require(c.rows == 1 && c.compute != 0 && c.compute <= c.length, "illegal-argument", c.api, c.site,
                    " with rnLength " + std::to_string(c.rows) + ", abLength " + std::to_string(c.length) +
                        " and abComputeLength " + std::to_string(c.compute) + ".",
                    "rnLength is 1; abComputeLength is 1 to abLength."))
    return;
  lib::require(c.length * size % ops::kBlock == 0, "count-alignment", c.api, c.site,
               " with abLength " + std::to_string(c.length) + ".", "abLength covers whole blocks of 32 bytes of the input.");
  if (!lib::check_all(c.api, c.site, {&mean, &variance, &in_mean, &in_variance, &src}, c.length)) return;
  if (!c.in_place)
    for (const Local* to : {&mean, &variance})
      for (const Local* from : {&in_mean, &in_variance, &src})
        lib::require_apart(c.api, c.site, *to, *from, 4ull * c.compute, uint64_t{c.compute} * dtype_bytes(from->dtype));
  Instr instr(Pipe::V, c.api, c.site);
  for (const Local* t : {&in_mean, &in_variance, &src}) instr.reads(lib::vector(*t, c.compute));
  for (const Local* t : {&mean, &variance}) instr.writes(lib::vector(*t, c.compute));
  const uint32_t least = akshared::welford_update_scratch(c.compute, size);
  lib::take_scratch(m, instr, {c.api, c.site, c.tmp, least, least}, {&mean, &variance, &in_mean, &in_variance, &src});
  instr.cycles = lib::round_up(c.compute, 64) * (size == 2 ? 7.0 : 6.0) / 64;  // Sub, Axpy, Sub, MulAddDst
  instr.run([](Machine& machine, const lib::Update& p) { lib::run_update(machine, p); },
            lib::Update{c.compute, c.reciprocal, lib::View(&mean), lib::View(&variance), lib::View(&in_mean),
                        lib::View(&in_variance), lib::View(&src)});
  m.issue(instr);
}

void akrt_l_welford_finalize(const WelfordEnd& c, const Local& mean, const Local& variance, const Local& in_mean,
                             const Local& in_variance) {
  Machine& m = Machine::current();
  for (const Local* t : {&mean, &variance, &in_mean, &in_variance, c.counts})
    if (t != nullptr) ops::require_allocated(c.api, c.site, *t);
  const std::string lengths = " with abLength " + std::to_string(c.length) + ", headCountLength " +
                              std::to_string(c.head_length) + " and tailCountLength " + std::to_string(c.tail_length) + ".";
  if (!lib::require(c.length != 0 && c.head_length + c.tail_length == c.length && (c.tail_count != 0 || c.tail_length == 0),
                    "illegal-argument", c.api, c.site, lengths,
                    "headCountLength + tailCountLength is abLength; without a tail (tailCount 0) tailCountLength is 0."))
    return;
  lib::require(c.length % 8 == 0, "count-alignment", c.api, c.site, lengths, "abLength is a multiple of 8.");
  if (!lib::check_all(c.api, c.site, {&in_mean, &in_variance, c.counts}, c.length) ||
      !lib::check_all(c.api, c.site, {&mean, &variance}, 1))
    return;
  Instr instr(Pipe::V, c.api, c.site);
  for (const Local* t : {&in_mean, &in_variance, c.counts})
    if (t != nullptr) instr.reads(lib::vector(*t, c.length));
  for (const Local* t : {&mean, &variance}) instr.writes(lib::vector(*t, 1));
  const uint32_t least = akshared::welford_finalize_scratch(c.length);
  lib::take_scratch(m, instr, {c.api, c.site, c.tmp, least, least}, {&mean, &variance, &in_mean, &in_variance, c.counts});
  instr.reduces = true;
  instr.cycles = lib::round_up(c.length, 64) * 8.0 / 64;
  instr.run([](Machine& machine, const lib::Final& p) { lib::run_final(machine, p); },
            lib::Final{c.rows, c.length, c.head_count, c.head_length, c.tail_count, c.counts != nullptr ? c.counts->addr : 0,
                       c.tail_count != 0, c.counts != nullptr, c.length_reciprocal, c.total_reciprocal, lib::View(&mean),
                       lib::View(&variance), lib::View(&in_mean), lib::View(&in_variance)});
  m.issue(instr);
}
}
