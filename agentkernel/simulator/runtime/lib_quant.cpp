// Quantisation: half or float to int8, int32 to floats, int8 or int4 to half or bfloat16.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "lib.h"
#include "ops_numeric.h"

namespace akrt::lib {

namespace {

struct Factors {
  uint32_t addr = 0;
  DType type = DType::kFloat32;
  bool present = false;
  float value = 0;
};

struct Quant {
  QuantOp op;
  uint32_t dst, src, rows, used, columns, dst_columns;
  DType to, from;
  Factors scale, offset;
  bool by_row, saturate;
  uint32_t groups;

  uint32_t scale_of(uint32_t row, uint32_t column) const {
    if (by_row) return row * groups + column / (used / groups);
    return row / (rows / groups) * used + column;
  }
};

// The scale of a dequantisation may be a float in the low half of 64 bits.
float factor(const uint8_t* ub, const Factors& f, uint32_t index) {
  if (!f.present) return f.value;
  float v = 0;
  if (f.type == DType::kUint64) std::memcpy(&v, ub + f.addr + 8 * index, 4);
  else load(&v, ub + f.addr + index * dtype_bytes(f.type), 1, f.type);
  return v;
}

float rounded_half(float v) { return ops::half_value(ops::half_bits(v)); }

// Everything is in half, float operands included.
int8_t quantised(float x, float scale, float offset) {
  const float y = rounded_half(rounded_half(rounded_half(x) * rounded_half(scale)) + rounded_half(offset));
  if (y != y) return 0;
  return static_cast<int8_t>(std::clamp(ops::round_float(y, ops::Round::kRint), -128.0f, 127.0f));
}

float small_integer(const uint8_t* from, uint32_t index, DType type) {
  if (type == DType::kInt8) return static_cast<int8_t>(from[index]);
  const uint32_t nibble = from[index / 2] >> (index % 2 * 4) & 0xf;
  return static_cast<float>(nibble >= 8 ? static_cast<int32_t>(nibble) - 16 : static_cast<int32_t>(nibble));
}

float wide_value(const Quant& q, const uint8_t* row, uint32_t i, float scale, float offset) {
  if (q.op == QuantOp::kDequant) {
    int32_t v = 0;
    std::memcpy(&v, row + 4 * i, 4);
    return static_cast<float>(v) * scale;
  }
  const float v = small_integer(row, i, q.from) + offset;
  return (q.to == DType::kFloat16 ? rounded_half(v) : v) * scale;
}

void run_quant(Machine& m, const Quant& q) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> x(q.used);
  for (uint32_t r = 0; r < q.rows; ++r) {
    const uint8_t* row = ub + q.src + uint64_t{r} * q.columns * ops::bits_of(q.from) / 8;
    uint8_t* to = ub + q.dst + uint64_t{r} * q.dst_columns * dtype_bytes(q.to);
    if (q.op == QuantOp::kQuant) load(x.data(), row, q.used, q.from);
    for (uint32_t i = 0; i < q.used; ++i) {
      const uint32_t index = q.scale_of(r, i);
      const float scale = factor(ub, q.scale, index);
      const float offset = factor(ub, q.offset, index);
      if (q.op == QuantOp::kQuant) to[i] = static_cast<uint8_t>(quantised(x[i], scale, offset));
      else x[i] = wide_value(q, row, i, scale, offset);
    }
    if (q.op != QuantOp::kQuant) store(to, x.data(), q.used, q.to, q.saturate);
  }
}

Factors factors(const Local* t, float value) {
  return t != nullptr ? Factors{t->addr, t->dtype, true, 0} : Factors{0, DType::kFloat32, false, value};
}

}  // namespace

}  // namespace akrt::lib

using namespace akrt;

extern "C" void akrt_l_quant(const QuantCall& c, const Local& dst, const Local& src) {
  Machine& m = Machine::current();
  for (const Local* t : {&dst, &src, c.scale, c.offset})
    if (t != nullptr) ops::require_allocated(c.api, c.site, *t);
  const LibShape& s = c.shape;
  if (s.rows == 0 || s.used == 0) return;
  if (!lib::require(s.used <= s.columns, "count-range", c.api, c.site,
                    " of " + std::to_string(s.used) + " elements of rows of " + std::to_string(s.columns) + ".",
                    "calCount is at most the length of a row."))
    return;
  const uint64_t from = (uint64_t{s.rows - 1} * s.columns + s.used) * ops::bits_of(src.dtype) / 8;
  const uint64_t to = (uint64_t{s.rows - 1} * c.dst_columns + s.used) * dtype_bytes(dst.dtype);
  if (!lib::within(c.api, c.site, src, from) || !lib::within(c.api, c.site, dst, to)) return;
  const uint64_t count = uint64_t{c.by_row ? s.rows : s.used} * c.groups;
  for (const Local* t : {c.scale, c.offset})
    if (t != nullptr && !lib::within(c.api, c.site, *t, count * dtype_bytes(t->dtype))) return;
  lib::require_apart(c.api, c.site, dst, src, to, from);
  Instr instr(Pipe::V, c.api, c.site);
  instr.reads(strided(src, s.used * ops::bits_of(src.dtype) / 8, s.rows, int64_t{s.columns} * ops::bits_of(src.dtype) / 8));
  if (c.scale != nullptr) instr.reads(contiguous(*c.scale, count * dtype_bytes(c.scale->dtype)));
  if (c.offset != nullptr) instr.reads(contiguous(*c.offset, count * dtype_bytes(c.offset->dtype)));
  instr.writes(strided(dst, s.used * dtype_bytes(dst.dtype), s.rows, int64_t{c.dst_columns} * dtype_bytes(dst.dtype)));
  lib::take_scratch(m, instr, {c.api, c.site, c.tmp, ops::kBlock, lib::blocks_of(2 * s.used)},
                    {&dst, &src, c.scale, c.offset});
  // A conversion on either side, a multiplication and an addition, in the wider of the types.
  instr.cycles = static_cast<double>(s.rows) * lib::round_up(s.used, 64) * 4 / (c.op == QuantOp::kQuant ? 128 : 64);
  instr.run([](Machine& machine, const lib::Quant& q) { lib::run_quant(machine, q); },
            lib::Quant{c.op, dst.addr, src.addr, s.rows, s.used, s.columns, c.dst_columns, dst.dtype, src.dtype,
                       lib::factors(c.scale, c.scale_value), lib::factors(c.offset, c.offset_value), c.by_row,
                       m.regs().saturate, c.groups});
  m.issue(instr);
}
