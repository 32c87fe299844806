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

namespace akrt::lib {

namespace {

struct Tensor {
  uint32_t addr = 0;
  DType type = DType::kFloat32;
};

Tensor tensor(const Local* t) { return t != nullptr ? Tensor{t->addr, t->dtype} : Tensor{}; }

struct Soft {
  SoftOp op;
  bool update, packed, saturate;
  Tensor dst, src, sum, max, exp_max, in_sum, in_max;
  uint32_t rows, columns;
};

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
  load(x.data(), ub + s.src.addr + row * s.columns * dtype_bytes(s.src.type), s.columns, s.src.type);
}
void store_row(const std::vector<float>& x, uint8_t* ub, const Soft& s, uint32_t row) {
  store(ub + s.dst.addr + row * s.columns * dtype_bytes(s.dst.type), x.data(), s.columns, s.dst.type, s.saturate);
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
    exp_of(x, value_of(ub, s.max, row, s.packed));
    if (s.op == SoftOp::kFlash) {
      const float sum = value_of(ub, s.sum, row, s.packed);
      for (float& v : x) v /= sum;
    }
    store_row(x, ub, s, row);
  }
}

struct Grad {
  Tensor dst, grad, src;
  uint32_t rows, columns;
  bool front, saturate;
};

void run_grad(Machine& m, const Grad& g) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> x(g.columns), y(g.columns), product(g.columns);
  const uint32_t row_bytes = g.columns * dtype_bytes(g.src.type);
  for (uint32_t row = 0; row < g.rows; ++row) {
    load(x.data(), ub + g.grad.addr + row * row_bytes, g.columns, g.grad.type);
    load(y.data(), ub + g.src.addr + row * row_bytes, g.columns, g.src.type);
    for (uint32_t i = 0; i < g.columns; ++i) product[i] = x[i] * y[i];
    const float sum = tree_sum_row(product.data(), g.columns, false, false);
    if (g.front) {
      for (uint32_t at = 0; at < ops::kBlock; at += dtype_bytes(g.dst.type))
        store(ub + g.dst.addr + row * ops::kBlock + at, &sum, 1, g.dst.type, g.saturate);
      continue;
    }
    for (uint32_t i = 0; i < g.columns; ++i) x[i] = (x[i] - sum) * y[i];
    store(ub + g.dst.addr + row * row_bytes, x.data(), g.columns, g.dst.type, g.saturate);
  }
}

struct Adjust {
  Tensor data, max;
  uint32_t rows, columns, from;
  float to;
};

void run_adjust(Machine& m, const Adjust& a) {
  uint8_t* ub = m.memory(Space::UB);
  uint64_t found = 0;
  const uint32_t size = dtype_bytes(a.data.type);
  for (uint32_t row = 0; row < a.rows; ++row) {
    uint32_t bits = 0;
    std::memcpy(&bits, ub + a.max.addr + row * ops::kBlock, dtype_bytes(a.max.type));
    if (bits != a.from) continue;
    found = 1;
    for (uint32_t i = 0; i < a.columns; ++i) store(ub + a.data.addr + (row * a.columns + i) * size, &a.to, 1, a.data.type, false);
  }
  std::memcpy(m.memory(Space::SPR) + Registers::kRsvdCnt, &found, 8);
}

// Floats of scratch for one row, by the documented minima.
uint32_t least_scratch(const SoftCall& c, DType src) {
  const uint32_t k = c.shape.columns;
  const uint32_t block = ops::kBlock / dtype_bytes(src);
  if (c.op == SoftOp::kFlash && c.update) return 4 * (4 * block + 2 * k);
  if (c.op != SoftOp::kFlashV2) return 4 * (block + k + 64);
  const uint32_t wide = ops::kBlock / dtype_bytes(c.max->dtype);
  const bool half = src == DType::kFloat16;
  if (!c.basic) return 4 * (half ? 2 * wide + k + 64 : wide + 64);
  return 8 * ((half ? wide + k : wide) + (k == 1024 ? 128 : 64));
}

bool check_shape(const char* api, Site site, const LibShape& s, uint32_t size, bool basic) {
  if (!require(s.rows != 0 && s.columns != 0, "illegal-argument", api, site, " without a shape.",
               "Pass SoftMaxShapeInfo{srcM, srcK, oriSrcM, oriSrcK}, or a tiling that was computed for the shape."))
    return false;
  require(s.columns * size % ops::kBlock == 0, "count-alignment", api, site,
          " on rows of " + std::to_string(s.columns) + " elements (" + std::to_string(s.columns * size) + " bytes).",
          "The last axis covers whole blocks of 32 bytes: pad the rows.");
  if (basic)
    require(s.columns % 64 == 0 && s.columns >= ops::kRepeatBytes / size && s.columns < 2048 && s.rows % 8 == 0,
            "illegal-argument", api, site,
            " with isBasicBlock on " + std::to_string(s.rows) + " rows of " + std::to_string(s.columns) + " elements.",
            "Basic blocks have rows of a multiple of 64 elements, one repeat up to 2047, and a multiple of 8 rows.");
  return true;
}

// max, sub, exp, sum and div over the rows, in float.
double cycles_of(const LibShape& s) {
  const double elements = static_cast<double>(s.rows) * round_up(s.columns, 64);
  return elements * (7.0 / 64 + 1.0 / 64 + 1.0 / 32 + 7.0 / 64 + 1.0 / 32);
}

}  // namespace

}  // namespace akrt::lib

using namespace akrt;

extern "C" {

void akrt_l_softmax(const SoftCall& c, const Local& dst, const Local& src) {
  Machine& m = Machine::current();
  const Local* operands[] = {&dst, &src, c.sum, c.max, c.exp_max, c.in_sum, c.in_max};
  for (const Local* t : operands)
    if (t != nullptr) ops::require_allocated(c.api, c.site, *t);
  const uint32_t size = dtype_bytes(src.dtype);
  if (!lib::check_shape(c.api, c.site, c.shape, size, c.basic)) return;
  const uint64_t bytes = uint64_t{c.shape.rows} * c.shape.columns * size;
  if (!lib::within(c.api, c.site, src, bytes) || !lib::within(c.api, c.site, dst, bytes)) return;
  const auto values = [&](const Local& t) {
    return contiguous(t, uint64_t{c.shape.rows} * lib::value_bytes(t.dtype, c.packed));
  };
  lib::Soft s{c.op, c.update, c.packed, m.regs().saturate, lib::tensor(&dst), lib::tensor(&src), lib::tensor(c.sum),
              lib::tensor(c.max), lib::tensor(c.exp_max), lib::tensor(c.in_sum), lib::tensor(c.in_max), c.shape.rows,
              c.shape.columns};
  const lib::Scratch scratch{c.api, c.site, c.tmp, lib::least_scratch(c, src.dtype),
                             lib::blocks_of(lib::least_scratch(c, src.dtype))};
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
                         const LibShape& shape, const Local* tmp, Site site) {
  Machine& m = Machine::current();
  for (const Local* t : {&dst, &grad, &src}) ops::require_allocated(api, site, *t);
  const uint32_t size = dtype_bytes(src.dtype);
  if (!lib::check_shape(api, site, shape, size, false)) return;
  const uint64_t bytes = uint64_t{shape.rows} * shape.columns * size;
  const uint64_t result = front ? uint64_t{shape.rows} * ops::kBlock : bytes;
  if (!lib::within(api, site, grad, bytes) || !lib::within(api, site, src, bytes)) return;
  if (!lib::within(api, site, dst, result)) return;
  const uint32_t block = ops::kBlock / size;
  const uint32_t row = size == 2 ? 2 * block + 3 * shape.columns + 64 : (front ? 1 : 2) * block + shape.columns + 64;
  Instr instr(Pipe::V, api, site);
  instr.reads(contiguous(grad, bytes));
  instr.reads(contiguous(src, bytes));
  instr.writes(contiguous(dst, result));
  lib::take_scratch(m, instr, {api, site, tmp, 4 * row, lib::blocks_of(4 * row)}, {&dst, &grad, &src});
  const double elements = static_cast<double>(shape.rows) * lib::round_up(shape.columns, 64);
  instr.cycles = elements * (front ? 8.0 : 10.0) / 64;  // Mul and a row sum; then Sub and Mul
  instr.run([](Machine& machine, const lib::Grad& g) { lib::run_grad(machine, g); },
            lib::Grad{lib::tensor(&dst), lib::tensor(&grad), lib::tensor(&src), shape.rows, shape.columns, front,
                      m.regs().saturate});
  m.issue(instr);
}

bool akrt_l_adjust_softmax(const Local& data, const Local& max, uint32_t from, float to, const LibShape& shape,
                           Site site) {
  static constexpr const char* kApi = "AdjustSoftMaxRes";
  Machine& m = Machine::current();
  for (const Local* t : {&data, &max}) ops::require_allocated(kApi, site, *t);
  if (!lib::check_shape(kApi, site, shape, dtype_bytes(data.dtype), false)) return false;
  const uint64_t bytes = uint64_t{shape.rows} * shape.columns * dtype_bytes(data.dtype);
  const uint64_t values = uint64_t{shape.rows} * ops::kBlock;
  if (!lib::within(kApi, site, data, bytes) || !lib::within(kApi, site, max, values)) return false;
  Instr instr(Pipe::V, kApi, site);
  instr.reads(contiguous(max, values));
  instr.reads(contiguous(data, bytes));
  instr.writes(contiguous(data, bytes));
  instr.writes(Machine::spr(Registers::kRsvdCnt));
  // A comparison a row and a selection of every element.
  instr.cycles = shape.rows + static_cast<double>(shape.rows) * lib::round_up(shape.columns, 64) / 64;
  instr.run([](Machine& machine, const lib::Adjust& a) { lib::run_adjust(machine, a); },
            lib::Adjust{lib::tensor(&data), lib::tensor(&max), shape.rows, shape.columns, from, to});
  m.issue(instr);
  m.stall_for(Pipe::V, kApi, site);
  return m.memory(Space::SPR)[Registers::kRsvdCnt] != 0;
}
}
