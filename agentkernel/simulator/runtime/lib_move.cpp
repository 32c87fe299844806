// Library functions that move and choose elements: Broadcast, Select with a byte mask.
#include <cstring>

#include "lib.h"

namespace akrt::lib {

namespace {

struct Spread {
  uint32_t dst, src, rows, columns, size;
  bool from_column;  // the source is one element a row, else one row
};

void run_spread(Machine& m, const Spread& s) {
  uint8_t* ub = m.memory(Space::UB);
  const uint32_t row = s.columns * s.size;
  for (uint32_t i = 0; i < s.rows; ++i) {
    uint8_t* to = ub + s.dst + i * row;
    if (!s.from_column) {
      std::memmove(to, ub + s.src, row);
      continue;
    }
    for (uint32_t j = 0; j < s.columns; ++j) std::memcpy(to + j * s.size, ub + s.src + i * s.size, s.size);
  }
}

struct Choice {
  uint32_t dst, src, mask, rows, columns, mask_columns, size, mask_size;
  uint64_t scalar;
  bool scalar_first;
};

void run_choice(Machine& m, const Choice& c) {
  uint8_t* ub = m.memory(Space::UB);
  static constexpr uint8_t kZero[8] = {};
  for (uint32_t i = 0; i < c.rows; ++i) {
    for (uint32_t j = 0; j < c.columns; ++j) {
      const uint8_t* bits = ub + c.mask + (i * c.mask_columns + j) * c.mask_size;
      const bool second = std::memcmp(bits, kZero, c.mask_size) != 0;
      const uint32_t at = (i * c.columns + j) * c.size;
      const void* from = ub + c.src + at;
      if (second != c.scalar_first) from = &c.scalar;
      std::memmove(ub + c.dst + at, from, c.size);
    }
  }
}

std::string text(const uint32_t* shape, int32_t dims) {
  return dims == 1 ? "{" + std::to_string(shape[0]) + "}"
                   : "{" + std::to_string(shape[0]) + ", " + std::to_string(shape[1]) + "}";
}

}  // namespace

}  // namespace akrt::lib

using namespace akrt;

extern "C" {

void akrt_l_broadcast(const char* api, const Local& dst, const Local& src, const uint32_t* dst_shape,
                      const uint32_t* src_shape, int32_t dims, int32_t axis, const Local* tmp, Site site) {
  Machine& m = Machine::current();
  ops::require_allocated(api, site, dst);
  ops::require_allocated(api, site, src);
  const uint32_t size = dtype_bytes(dst.dtype);
  const bool fits = src_shape[axis] == 1 && (dims == 1 || src_shape[1 - axis] == dst_shape[1 - axis]);
  if (!lib::require(fits, "illegal-argument", api, site,
                    " of shape " + lib::text(src_shape, dims) + " to " + lib::text(dst_shape, dims) + " along axis " +
                        std::to_string(axis) + ".",
                    "The source has length 1 along the axis that grows and the same length along the other one."))
    return;
  const uint32_t rows = dims == 1 ? 1 : dst_shape[0];
  const uint32_t columns = dims == 1 ? dst_shape[0] : dst_shape[1];
  if (rows == 0 || columns == 0) return;
  const bool from_column = axis == dims - 1;
  const uint64_t dst_bytes = uint64_t{rows} * columns * size;
  const uint64_t src_bytes = uint64_t{from_column ? rows : columns} * size;
  if (!lib::within(api, site, dst, dst_bytes) || !lib::within(api, site, src, src_bytes)) return;
  if (!from_column)
    lib::require(columns * size % ops::kBlock == 0, "count-alignment", api, site,
                 " of rows of " + std::to_string(columns * size) + " bytes along axis 0.",
                 "Rows that are repeated cover whole blocks of 32 bytes.");
  // Along axis 0 the first row of the destination may be the source; what comes behind it is written only.
  const bool onto_itself = !from_column && dst.addr == src.addr;
  lib::require_apart(api, site, dst, src, onto_itself ? src_bytes : dst_bytes, src_bytes);
  Instr instr(Pipe::V, api, site);
  instr.reads(contiguous(src, src_bytes));
  instr.writes(contiguous(dst, dst_bytes));
  lib::take_scratch(m, instr, {api, site, tmp, ops::kBlock, rows * ops::kBlock}, {&dst, &src});
  // Brcb of the column, Copy along the row and, where rows are no whole blocks, GatherMask.
  const double blocks = static_cast<double>(rows) * lib::blocks_of(columns * size);
  instr.cycles = blocks / ops::kRepeatBytes * (from_column && columns * size % ops::kBlock != 0 ? 3 : 1);
  if (from_column) instr.cycles += rows / 8.0;
  instr.run([](Machine& machine, const lib::Spread& s) { lib::run_spread(machine, s); },
            lib::Spread{dst.addr, src.addr, rows, columns, size, from_column});
  m.issue(instr);
}

void akrt_l_select_bytes(const char* api, const Local& dst, const Local& src, uint64_t scalar, bool scalar_first,
                         const Local& mask, const Local& tmp, uint32_t rows, uint32_t columns, uint32_t mask_columns,
                         Site site) {
  Machine& m = Machine::current();
  for (const Local* t : {&dst, &src, &mask}) ops::require_allocated(api, site, *t);
  const uint32_t size = dtype_bytes(dst.dtype);
  const uint32_t mask_size = dtype_bytes(mask.dtype);
  if (rows == 0 || columns == 0) return;
  const std::string lengths = std::to_string(columns) + " elements and " + std::to_string(mask_columns) + " mask elements";
  if (!lib::require(mask_columns >= columns, "illegal-argument", api, site, " on rows of " + lengths + ".",
                    "A row of the mask is at least as long as a row of the data."))
    return;
  const uint64_t bytes = uint64_t{rows} * columns * size;
  const uint64_t mask_bytes = (uint64_t{rows - 1} * mask_columns + columns) * mask_size;
  if (!lib::within(api, site, src, bytes) || !lib::within(api, site, dst, bytes)) return;
  if (!lib::within(api, site, mask, mask_bytes)) return;
  lib::require(columns * size % ops::kBlock == 0 && mask_columns * mask_size % ops::kBlock == 0 && mask_columns % 16 == 0,
               "count-alignment", api, site, " on rows of " + lengths + ".",
               "Rows of data and mask cover whole blocks of 32 bytes, and those of the mask a multiple of 16 elements.");
  Instr instr(Pipe::V, api, site);
  instr.reads(contiguous(src, bytes));
  instr.reads(strided(mask, columns * mask_size, rows, int64_t{mask_columns} * mask_size));
  instr.writes(contiguous(dst, bytes));
  lib::take_scratch(m, instr, {api, site, &tmp, ops::kBlock, lib::blocks_of(columns * 2)}, {&dst, &src, &mask});
  // The mask becomes half (one or two Casts), is compared with 0, and selects.
  instr.cycles = static_cast<double>(rows) * lib::round_up(columns, 64) * (3.0 / 128 + 1.0 / lib::full_rate(dst.dtype));
  instr.run([](Machine& machine, const lib::Choice& c) { lib::run_choice(machine, c); },
            lib::Choice{dst.addr, src.addr, mask.addr, rows, columns, mask_columns, size, mask_size, scalar, scalar_first});
  m.issue(instr);
}
}
