// The softmax family: rows of a matrix, with the row's maximum and sum kept as one block of equal values.
//
// The arithmetic is in float and half data are rounded once on the way out, whatever the type of maximum and sum: the
// scratch that the functions ask for is sized for floats.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "lib.h"
#include "ops_bodies.h"
#include "shared/library_scratch.h"

namespace akrt::lib {

namespace {

struct Tensor {
  uint32_t addr = 0;
  DType type = DType::kFloat32;
};

Tensor tensor(const Local* t) { return t != nullptr ? Tensor{t->addr, t->dtype} : Tensor{}; }

struct Soft {
  SoftOp op;
  bool update, packed, saturate, nz;
  Tensor dst, src, sum, max, exp_max, in_sum, in_max, step_max, mean, in_mean;
  uint32_t rows, columns, step, pieces;
  float shift;  // alpha / (1 - alpha)
};

constexpr uint32_t kNzColumns = 16;

// One row of a matrix, in rows or in columns of blocks.
void read_row(std::vector<float>& x, const uint8_t* ub, const Tensor& t, bool nz, uint32_t rows, uint32_t row) {
  const auto columns = static_cast<uint32_t>(x.size());
  const uint32_t size = dtype_bytes(t.type);
  if (!nz) return load(x.data(), ub + t.addr + row * columns * size, columns, t.type);
  for (uint32_t at = 0; at < columns; at += kNzColumns)
    load(&x[at], ub + t.addr + (at * rows + row * kNzColumns) * size, kNzColumns, t.type);
}
void write_row(const std::vector<float>& x, uint8_t* ub, const Tensor& t, bool nz, uint32_t rows, uint32_t row, bool saturate) {
  const auto columns = static_cast<uint32_t>(x.size());
  const uint32_t size = dtype_bytes(t.type);
  if (!nz) return store(ub + t.addr + row * columns * size, x.data(), columns, t.type, saturate);
  for (uint32_t at = 0; at < columns; at += kNzColumns)
    store(ub + t.addr + (at * rows + row * kNzColumns) * size, &x[at], kNzColumns, t.type, saturate);
}

// One value a row: in a block of its own, or packed.
uint32_t value_bytes(DType t, bool packed) { return packed ? dtype_bytes(t) : ops::kBlock; }

float value_of(const uint8_t* ub, const Tensor& t, uint32_t row, bool packed) {
  float v = 0;
  load(&v, ub + t.addr + row * value_bytes(t.type, packed), 1, t.type);
  return v;
}

void keep_value(uint8_t* ub, const Tensor& t, uint32_t row, float v, const Soft& s) {
  const uint32_t bytes = value_bytes(t.type, s.packed);
  for (uint32_t at = 0; at < bytes; at += dtype_bytes(t.type))
    store(ub + t.addr + row * bytes + at, &v, 1, t.type, s.saturate);
}

float row_max(const std::vector<float>& x) {
  float best = x[0];
  for (const float v : x) best = ops::vector_max(best, v);
  return best;
}

void exp_of(std::vector<float>& x, float max) {
  for (float& v : x) v -= max;
  ops::exp_float(x.data(), x.data(), x.size());
}

float sum_of(const std::vector<float>& x) {
  std::vector<float> copy = x;
  return tree_sum_row(copy.data(), copy.size(), false, false);
}

void load_row(std::vector<float>& x, const uint8_t* ub, const Soft& s, uint32_t row) {
  read_row(x, ub, s.src, s.nz, s.rows, row);
}
void store_row(const std::vector<float>& x, uint8_t* ub, const Soft& s, uint32_t row) {
  write_row(x, ub, s.dst, s.nz, s.rows, row, s.saturate);
}

// SoftMax, LogSoftMax and SimpleSoftMax.
void run_soft(Machine& m, const Soft& s) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> x(s.columns);
  for (uint32_t row = 0; row < s.rows; ++row) {
    load_row(x, ub, s, row);
    const bool given = s.op == SoftOp::kSimple;
    const float max = given ? value_of(ub, s.in_max, row, false) : row_max(x);
    exp_of(x, max);
    const float sum = given ? value_of(ub, s.in_sum, row, false) : sum_of(x);
    for (float& v : x) v /= sum;
    if (s.op == SoftOp::kLog) {
      ops::ln_float(x.data(), x.data(), x.size());
      for (float& v : x) v *= 0.43429448190325176f;
    }
    store_row(x, ub, s, row);
    if (given || s.max.addr == UINT32_MAX) continue;
    keep_value(ub, s.max, row, max, s);
    keep_value(ub, s.sum, row, sum, s);
  }
}

// First half of the flash forms: maximum, sum and correction of each row.
void run_statistics(Machine& m, const Soft& s) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> x(s.columns);
  for (uint32_t row = 0; row < s.rows; ++row) {
    load_row(x, ub, s, row);
    float max = row_max(x);
    if (!s.update) {
      exp_of(x, max);
      keep_value(ub, s.max, row, max, s);
      keep_value(ub, s.sum, row, sum_of(x), s);
      continue;
    }
    const float before = value_of(ub, s.in_max, row, s.packed);
    max = ops::vector_max(before, max);
    float correction = before - max;
    ops::exp_float(&correction, &correction, 1);
    exp_of(x, max);
    const float carried = correction * value_of(ub, s.in_sum, row, s.packed);
    const float sum = carried + sum_of(x);
    keep_value(ub, s.max, row, max, s);
    keep_value(ub, s.sum, row, sum, s);
    keep_value(ub, s.exp_max, row, s.op == SoftOp::kFlash ? carried / sum : correction, s);
  }
}

// Second half: the rows themselves, from the maximum (and the sum) of the first.
void run_flash_rows(Machine& m, const Soft& s) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> x(s.columns);
  for (uint32_t row = 0; row < s.rows; ++row) {
    load_row(x, ub, s, row);
    if (s.step_max.addr != UINT32_MAX) keep_value(ub, s.step_max, row, row_max(x), s);
    exp_of(x, value_of(ub, s.max, row, s.packed));
    if (s.op == SoftOp::kFlash) {
      const float sum = value_of(ub, s.sum, row, s.packed);
      for (float& v : x) v /= sum;
    }
    store_row(x, ub, s, row);
  }
}

// FlashV3: rows are shifted by the distance of each piece's mean from the row's mean before the maximum is taken.
struct Shifted {
  float row_mean, mean, max, correction;
};

float mean_of(const float* x, size_t n) {
  std::vector<float> copy(x, x + n);
  return tree_sum_row(copy.data(), n, false, false) / static_cast<float>(n);
}

// Shifts x, and returns the mean of the row as it was.
float shift_row(std::vector<float>& x, const Soft& s) {
  const float row_mean = mean_of(x.data(), x.size());
  const size_t piece = x.size() / s.pieces;
  for (size_t at = 0; at < x.size(); at += piece) {
    const float shift = (row_mean - mean_of(&x[at], piece)) * s.shift;
    for (size_t i = at; i < at + piece; ++i) x[i] -= shift;
  }
  return row_mean;
}

// Maximum and mean over all steps, and the factor of what came before; x is shifted already.
Shifted carry(const std::vector<float>& x, float row_mean, const uint8_t* ub, const Soft& s, uint32_t row) {
  if (!s.update) return {row_mean, row_mean, row_max(x), 0};
  const float before = value_of(ub, s.in_mean, row, false), top = value_of(ub, s.in_max, row, false);
  const auto steps = static_cast<float>(s.step);
  const float mean = (row_mean + before * (steps - 1)) / steps;
  const float current = (row_mean - mean) * s.shift, previous = (before - mean) * s.shift;
  const float max = ops::vector_max(current + row_max(x), previous + top);
  float correction = top - max + previous;
  ops::exp_float(&correction, &correction, 1);
  return {row_mean, mean, max, correction};
}

void run_shifted_sums(Machine& m, const Soft& s) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> x(s.columns);
  for (uint32_t row = 0; row < s.rows; ++row) {
    load_row(x, ub, s, row);
    const float row_mean = shift_row(x, s);
    const Shifted found = carry(x, row_mean, ub, s, row);
    exp_of(x, found.max - (row_mean - found.mean) * s.shift);
    float sum = sum_of(x);
    if (s.update) {
      sum += found.correction * value_of(ub, s.in_sum, row, false);
      keep_value(ub, s.exp_max, row, found.correction, s);
    }
    keep_value(ub, s.sum, row, sum, s);
  }
}

void run_shifted_statistics(Machine& m, const Soft& s) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> x(s.columns);
  for (uint32_t row = 0; row < s.rows; ++row) {
    load_row(x, ub, s, row);
    const float row_mean = shift_row(x, s);
    const Shifted found = carry(x, row_mean, ub, s, row);
    keep_value(ub, s.mean, row, found.mean, s);
    keep_value(ub, s.max, row, found.max, s);
  }
}

void run_shifted_rows(Machine& m, const Soft& s) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> x(s.columns);
  for (uint32_t row = 0; row < s.rows; ++row) {
    load_row(x, ub, s, row);
    const float row_mean = shift_row(x, s);
    const float mean = value_of(ub, s.mean, row, false), max = value_of(ub, s.max, row, false);
    exp_of(x, max - (row_mean - mean) * s.shift);
    store_row(x, ub, s, row);
  }
}

struct Grad {
  Tensor dst, grad, src;
  uint32_t rows, columns;
  bool front, saturate, nz;
};

void run_grad(Machine& m, const Grad& g) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> x(g.columns), y(g.columns), product(g.columns);
  for (uint32_t row = 0; row < g.rows; ++row) {
    read_row(x, ub, g.grad, g.nz, g.rows, row);
    read_row(y, ub, g.src, g.nz, g.rows, row);
    for (uint32_t i = 0; i < g.columns; ++i) product[i] = x[i] * y[i];
    const float sum = tree_sum_row(product.data(), g.columns, false, false);
    if (g.front) {
      for (uint32_t at = 0; at < ops::kBlock; at += dtype_bytes(g.dst.type))
        store(ub + g.dst.addr + row * ops::kBlock + at, &sum, 1, g.dst.type, g.saturate);
      continue;
    }
    for (uint32_t i = 0; i < g.columns; ++i) x[i] = (x[i] - sum) * y[i];
    write_row(x, ub, g.dst, g.nz, g.rows, row, g.saturate);
  }
}

struct Adjust {
  Tensor data, max;
  uint32_t rows, columns, from;
  float to;
  bool packed, nz;
};

void run_adjust(Machine& m, const Adjust& a) {
  uint8_t* ub = m.memory(Space::UB);
  uint64_t found = 0;
  const std::vector<float> replaced(a.columns, a.to);
  for (uint32_t row = 0; row < a.rows; ++row) {
    uint32_t bits = 0;
    std::memcpy(&bits, ub + a.max.addr + row * value_bytes(a.max.type, a.packed), dtype_bytes(a.max.type));
    if (bits != a.from) continue;
    found = 1;
    write_row(replaced, ub, a.data, a.nz, a.rows, row, false);
  }
  std::memcpy(m.memory(Space::SPR) + Registers::kRsvdCnt, &found, 8);
}

// Bytes of scratch for one row, by the documented minima; for V3 none is published.
uint32_t least_scratch(const SoftCall& c, DType src) {
  const uint32_t k = c.shape.columns;
  const uint32_t size = dtype_bytes(src);
  if (c.op == SoftOp::kFlash) return 4 * akshared::softmax_flash_floats(k, size, c.update);
  if (c.op == SoftOp::kFlashV2) return akshared::softmax_flash_v2_scratch(k, size, dtype_bytes(c.max->dtype), c.basic);
  return 4 * akshared::softmax_floats(k, size);
}

bool check_shape(const char* api, Site site, const LibShape& s, uint32_t size, bool basic, bool nz) {
  if (!require(s.rows != 0 && s.columns != 0, "illegal-argument", api, site, " without a shape.",
               "Pass SoftMaxShapeInfo{srcM, srcK, oriSrcM, oriSrcK}, or a tiling that was computed for the shape."))
    return false;
  require(s.columns * size % ops::kBlock == 0, "count-alignment", api, site,
          " on rows of " + std::to_string(s.columns) + " elements (" + std::to_string(s.columns * size) + " bytes).",
          "The last axis covers whole blocks of 32 bytes: pad the rows.");
  if (nz && !require(s.columns % kNzColumns == 0, "count-alignment", api, site,
                     " on NZ rows of " + std::to_string(s.columns) + " elements.", "NZ has columns of 16 elements: pad the rows."))
    return false;
  if (basic)
    require(s.columns % 64 == 0 && s.columns >= ops::kRepeatBytes / size && s.columns < 2048 && s.rows % 8 == 0,
            "illegal-argument", api, site,
            " with isBasicBlock on " + std::to_string(s.rows) + " rows of " + std::to_string(s.columns) + " elements.",
            "Basic blocks have rows of a multiple of 64 elements, one repeat up to 2047, and a multiple of 8 rows.");
  return true;
}

bool check_shifted(const SoftCall& c) {
  return require(c.shape.columns >= 512 && c.shape.columns % 64 == 0 && c.shape.rows % 8 == 0 && c.step != 0 &&
                     c.pieces != 0 && c.shape.columns % c.pieces == 0 && c.alpha < 1,
                 "illegal-argument", c.api, c.site,
                 " on " + std::to_string(c.shape.rows) + " rows of " + std::to_string(c.shape.columns) + " elements in " +
                     std::to_string(c.pieces) + " pieces, step " + std::to_string(c.step) + ".",
                 "Rows have a multiple of 64 elements, 512 or more, and there is a multiple of 8 of them; loopCnt is at "
                 "least 1, splitMeanCnt divides the row, and alpha is less than 1.");
}

// max, sub, exp, sum and div over the rows, in float.
double cycles_of(const LibShape& s) {
  const double elements = static_cast<double>(s.rows) * round_up(s.columns, 64);
  return elements * (7.0 / 64 + 1.0 / 64 + 1.0 / 32 + 7.0 / 64 + 1.0 / 32);
}

// Three instructions: sums and corrections, then means and maxima (which may stand where the carried ones do), then rows.
void issue_shifted(Machine& m, const SoftCall& c, const Local& dst, const Local& src, const Soft& s, const Scratch& scratch) {
  const uint64_t bytes = uint64_t{c.shape.rows} * c.shape.columns * dtype_bytes(src.dtype);
  const auto values = [&](const Local& t) { return contiguous(t, uint64_t{c.shape.rows} * ops::kBlock); };
  Instr sums(Pipe::V, c.api, c.site);
  sums.reads(contiguous(src, bytes));
  if (c.update)
    for (const Local* t : {c.in_mean, c.in_max, c.in_sum}) sums.reads(values(*t));
  sums.writes(values(*c.sum));
  if (c.update) sums.writes(values(*c.exp_max));
  sums.cycles = cycles_of(c.shape) * 0.75;
  sums.run([](Machine& machine, const Soft& p) { run_shifted_sums(machine, p); }, s);
  m.issue(sums);
  Instr statistics(Pipe::V, c.api, c.site);
  statistics.reads(contiguous(src, bytes));
  if (c.update)
    for (const Local* t : {c.in_mean, c.in_max}) statistics.reads(values(*t));
  statistics.writes(values(*c.mean));
  statistics.writes(values(*c.max));
  statistics.cycles = cycles_of(c.shape) * 0.5;  // the means of rows and pieces, and the shift
  statistics.run([](Machine& machine, const Soft& p) { run_shifted_statistics(machine, p); }, s);
  m.issue(statistics);
  Instr rows(Pipe::V, c.api, c.site);
  rows.reads(contiguous(src, bytes));
  rows.reads(values(*c.mean));
  rows.reads(values(*c.max));
  rows.writes(contiguous(dst, bytes));
  take_scratch(m, rows, scratch, {&dst, &src, c.sum, c.max, c.mean});
  rows.cycles = cycles_of(c.shape) * 0.25;
  rows.run([](Machine& machine, const Soft& p) { run_shifted_rows(machine, p); }, s);
  m.issue(rows);
}

}  // namespace

}  // namespace akrt::lib

using namespace akrt;

extern "C" {

void akrt_l_softmax(const SoftCall& c, const Local& dst, const Local& src) {
  Machine& m = Machine::current();
  const Local* operands[] = {&dst, &src, c.sum, c.max, c.exp_max, c.in_sum, c.in_max, c.step_max, c.mean, c.in_mean};
  for (const Local* t : operands)
    if (t != nullptr) ops::require_allocated(c.api, c.site, *t);
  const uint32_t size = dtype_bytes(src.dtype);
  if (!lib::check_shape(c.api, c.site, c.shape, size, c.basic, c.nz)) return;
  if (c.op == SoftOp::kFlashV3 && !lib::check_shifted(c)) return;
  const uint64_t bytes = uint64_t{c.shape.rows} * c.shape.columns * size;
  if (!lib::within(c.api, c.site, src, bytes) || !lib::within(c.api, c.site, dst, bytes)) return;
  const auto values = [&](const Local& t) {
    return contiguous(t, uint64_t{c.shape.rows} * lib::value_bytes(t.dtype, c.packed));
  };
  lib::Soft s{c.op, c.update, c.packed, m.regs().saturate, c.nz, lib::tensor(&dst), lib::tensor(&src), lib::tensor(c.sum),
              lib::tensor(c.max), lib::tensor(c.exp_max), lib::tensor(c.in_sum), lib::tensor(c.in_max),
              lib::tensor(c.step_max), lib::tensor(c.mean), lib::tensor(c.in_mean), c.shape.rows, c.shape.columns, c.step,
              c.pieces, c.alpha / (1 - c.alpha)};
  if (c.step_max == nullptr) s.step_max.addr = UINT32_MAX;
  const lib::Scratch scratch{c.api, c.site, c.tmp, lib::least_scratch(c, src.dtype),
                             lib::blocks_of(lib::least_scratch(c, src.dtype))};
  if (c.op == SoftOp::kFlashV3) return lib::issue_shifted(m, c, dst, src, s, scratch);
  const bool flash = c.op == SoftOp::kFlash || c.op == SoftOp::kFlashV2;
  if (flash) {
    Instr first(Pipe::V, c.api, c.site);
    first.reads(contiguous(src, bytes));
    if (c.update) first.reads(values(*c.in_max)), first.reads(values(*c.in_sum));
    first.reads_decide();
    first.writes(values(*c.max));
    first.writes(values(*c.sum));
    if (c.update) first.writes(values(*c.exp_max));
    first.cycles = lib::cycles_of(c.shape) * 0.75;
    first.run([](Machine& machine, const lib::Soft& p) { lib::run_statistics(machine, p); }, s);
    m.issue(first);
  }
  Instr instr(Pipe::V, c.api, c.site);
  instr.reads(contiguous(src, bytes));
  if (flash) {
    instr.reads(values(*c.max));
    if (c.op == SoftOp::kFlash) instr.reads(values(*c.sum));
    if (c.step_max != nullptr) instr.writes(values(*c.step_max));
  } else if (c.op == SoftOp::kSimple) {
    instr.reads(values(*c.in_max));
    instr.reads(values(*c.in_sum));
  } else if (c.max != nullptr) {
    instr.writes(values(*c.max));
    instr.writes(values(*c.sum));
  } else {
    s.max.addr = UINT32_MAX;  // nobody asked for the row values
  }
  instr.writes(contiguous(dst, bytes));
  lib::take_scratch(m, instr, scratch, {&dst, &src, c.sum, c.max});
  instr.cycles = lib::cycles_of(c.shape) * (flash ? 0.25 : 1);
  if (flash) instr.run([](Machine& machine, const lib::Soft& p) { lib::run_flash_rows(machine, p); }, s);
  else instr.run([](Machine& machine, const lib::Soft& p) { lib::run_soft(machine, p); }, s);
  m.issue(instr);
}

void akrt_l_softmax_grad(const char* api, const Local& dst, const Local& grad, const Local& src, bool front,
                         bool nz, const LibShape& shape, const Local* tmp, Site site) {
  Machine& m = Machine::current();
  for (const Local* t : {&dst, &grad, &src}) ops::require_allocated(api, site, *t);
  const uint32_t size = dtype_bytes(src.dtype);
  if (!lib::check_shape(api, site, shape, size, false, nz)) return;
  const uint64_t bytes = uint64_t{shape.rows} * shape.columns * size;
  const uint64_t result = front ? uint64_t{shape.rows} * ops::kBlock : bytes;
  if (!lib::within(api, site, grad, bytes) || !lib::within(api, site, src, bytes)) return;
  if (!lib::within(api, site, dst, result)) return;
  const uint32_t row = akshared::softmax_grad_floats(shape.columns, size, front);
  Instr instr(Pipe::V, api, site);
  instr.reads(contiguous(grad, bytes));
  instr.reads(contiguous(src, bytes));
  instr.writes(contiguous(dst, result));
  lib::take_scratch(m, instr, {api, site, tmp, 4 * row, lib::blocks_of(4 * row)}, {&dst, &grad, &src});
  const double elements = static_cast<double>(shape.rows) * lib::round_up(shape.columns, 64);
  instr.cycles = elements * (front ? 8.0 : 10.0) / 64;  // Mul and a row sum; then Sub and Mul
  instr.run([](Machine& machine, const lib::Grad& g) { lib::run_grad(machine, g); },
            lib::Grad{lib::tensor(&dst), lib::tensor(&grad), lib::tensor(&src), shape.rows, shape.columns, front,
                      m.regs().saturate, nz});
  m.issue(instr);
}

bool akrt_l_adjust_softmax(const Local& data, const Local& max, uint32_t from, float to, bool packed, bool nz,
                           const LibShape& shape, Site site) {
  static constexpr const char* kApi = "AdjustSoftMaxRes";
  Machine& m = Machine::current();
  for (const Local* t : {&data, &max}) ops::require_allocated(kApi, site, *t);
  if (!lib::check_shape(kApi, site, shape, dtype_bytes(data.dtype), false, nz)) return false;
  const uint64_t bytes = uint64_t{shape.rows} * shape.columns * dtype_bytes(data.dtype);
  const uint64_t values = uint64_t{shape.rows} * lib::value_bytes(max.dtype, packed);
  if (!lib::within(kApi, site, data, bytes) || !lib::within(kApi, site, max, values)) return false;
  Instr instr(Pipe::V, kApi, site);
  instr.reads(contiguous(max, values));
  instr.reads(contiguous(data, bytes));
  instr.writes(contiguous(data, bytes));
  instr.writes(Machine::spr(Registers::kRsvdCnt));
  // A comparison a row and a selection of every element.
  instr.cycles = shape.rows + static_cast<double>(shape.rows) * lib::round_up(shape.columns, 64) / 64;
  instr.run([](Machine& machine, const lib::Adjust& a) { lib::run_adjust(machine, a); },
            lib::Adjust{lib::tensor(&data), lib::tensor(&max), shape.rows, shape.columns, from, to, packed, nz});
  m.issue(instr);
  m.stall_for(Pipe::V, kApi, site);
  return m.memory(Space::SPR)[Registers::kRsvdCnt] != 0;
}
}
