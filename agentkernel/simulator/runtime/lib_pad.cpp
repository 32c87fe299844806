// Pad and UnPad of rows, and DropOut.
#include <cmath>
#include <cstring>
#include <vector>

#include "akrt/abi_layout.h"
#include "lib.h"
#include "ops_numeric.h"
#include "shared/library_scratch.h"

namespace akrt::lib {

namespace {

struct Padding {
  uint32_t dst, src, rows, from_row, to_row, used, left, right, size;  // rows in bytes, the others in elements
  uint64_t value;
};

void run_pad(Machine& m, const Padding& p) {
  uint8_t* ub = m.memory(Space::UB);
  const auto fill = [&](uint8_t* to, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) std::memcpy(to + i * p.size, &p.value, p.size);
  };
  for (uint32_t row = 0; row < p.rows; ++row) {
    uint8_t* to = ub + p.dst + row * p.to_row;
    fill(to, p.left);
    std::memcpy(to + p.left * p.size, ub + p.src + row * p.from_row, p.used * p.size);
    fill(to + (p.left + p.used) * p.size, p.right);
  }
}

// The padding value is an integer in the call; elements get the value, not its bits.
uint64_t element_bits(int32_t value, DType type) {
  if (type == DType::kFloat32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (type == DType::kFloat16) return ops::half_bits(static_cast<float>(value));
  return static_cast<uint32_t>(value);
}

struct Drop {
  uint32_t dst, src, mask, rows, columns, mask_row;
  bool bits, saturate;
  DType type;
  float scale;
};

void run_drop(Machine& m, const Drop& d) {
  uint8_t* ub = m.memory(Space::UB);
  std::vector<float> x(d.columns);
  const uint32_t row_bytes = d.columns * dtype_bytes(d.type);
  const float scale = d.type == DType::kFloat16 ? ops::half_value(ops::half_bits(d.scale)) : d.scale;
  for (uint32_t row = 0; row < d.rows; ++row) {
    load(x.data(), ub + d.src + row * row_bytes, d.columns, d.type);
    const uint8_t* mask = ub + d.mask + row * d.mask_row;
    for (uint32_t i = 0; i < d.columns; ++i) {
      const bool keep = d.bits ? (mask[i / 8] >> (i % 8) & 1) != 0 : mask[i] != 0;
      x[i] = keep ? x[i] * scale : 0.0f;
    }
    store(ub + d.dst + row * row_bytes, x.data(), d.columns, d.type, d.saturate);
  }
}

std::string row_text(const PadCall& c) {
  return " on rows of " + std::to_string(c.columns) + " elements, " + std::to_string(c.used) + " of them data, with " +
         std::to_string(c.left) + " on the left and " + std::to_string(c.right) + " on the right.";
}

}  // namespace

}  // namespace akrt::lib

using namespace akrt;

extern "C" {

// Rows that are no whole blocks follow each other closely and grow to whole blocks; rows of whole blocks with unused
// elements at the end are padded there.
void akrt_l_pad(const PadCall& c, const Local& dst, const Local& src) {
  Machine& m = Machine::current();
  for (const Local* t : {&dst, &src}) ops::require_allocated(c.api, c.site, *t);
  const uint32_t size = dtype_bytes(src.dtype);
  if (!lib::require(c.rows != 0 && c.columns != 0 && c.used != 0 && c.used <= c.columns, "illegal-argument", c.api, c.site,
                    lib::row_text(c), "Fill the tiling with PadTilingFunc for the shape of the source."))
    return;
  const uint32_t from_row = c.columns * size, to_row = lib::blocks_of(from_row);
  const bool aligned = from_row == to_row;
  if (!lib::require((!aligned || c.left == 0) && (c.left + c.used + c.right) * size <= to_row, "illegal-argument", c.api,
                    c.site, lib::row_text(c),
                    "Data and padding together fit into the row rounded up to 32 bytes; rows that are whole blocks "
                    "already are padded on the right only."))
    return;
  const uint64_t src_bytes = uint64_t{c.rows} * from_row, dst_bytes = uint64_t{c.rows} * to_row;
  lib::require(src_bytes % ops::kBlock == 0, "count-alignment", c.api, c.site, " of " + std::to_string(src_bytes) + " bytes.",
               "The source as a whole covers whole blocks of 32 bytes.");
  if (!lib::within(c.api, c.site, src, src_bytes) || !lib::within(c.api, c.site, dst, dst_bytes)) return;
  lib::require_apart(c.api, c.site, dst, src, dst_bytes, src_bytes);
  const uint32_t written = (c.left + c.used + c.right) * size;
  Instr instr(Pipe::V, c.api, c.site);
  instr.reads(strided(src, c.used * size, c.rows, from_row).aligned(aligned ? 32 : 1));
  instr.writes(strided(dst, written, c.rows, to_row));
  if (written != to_row) {
    Access rest = strided(dst, to_row - written, c.rows, to_row).aligned(1);
    rest.base += written;
    rest.undefined = true;
    instr.writes(rest);
  }
  const uint32_t least = akshared::pad_scratch(c.columns, size);
  lib::take_scratch(m, instr, {c.api, c.site, c.tmp, least, least}, {&dst, &src});
  // Rows are turned into columns and back (TransDataTo5HD), and filled in between.
  instr.cycles = static_cast<double>(dst_bytes) / ops::kBlock * (aligned ? 0.25 : 2.25);
  instr.run([](Machine& machine, const lib::Padding& p) { lib::run_pad(machine, p); },
            lib::Padding{dst.addr, src.addr, c.rows, from_row, to_row, c.used, c.left, c.right, size,
                         lib::element_bits(c.value, src.dtype)});
  m.issue(instr);
}

// Drops the last elements of each row; what is left follows closely.
void akrt_l_unpad(const PadCall& c, const Local& dst, const Local& src) {
  Machine& m = Machine::current();
  for (const Local* t : {&dst, &src}) ops::require_allocated(c.api, c.site, *t);
  const uint32_t size = dtype_bytes(src.dtype);
  const uint32_t from_row = c.columns * size;
  if (!lib::require(c.rows != 0 && c.columns != 0 && c.left == 0 && c.right != 0 && c.right * size < ops::kBlock,
                    "illegal-argument", c.api, c.site, lib::row_text(c),
                    "rightPad is at least 1 element and less than 32 bytes; leftPad is 0."))
    return;
  if (!lib::require(from_row % ops::kBlock == 0, "count-alignment", c.api, c.site, lib::row_text(c),
                    "Rows of the source cover whole blocks of 32 bytes."))
    return;
  const uint32_t used = c.columns - c.right;
  const uint64_t src_bytes = uint64_t{c.rows} * from_row, dst_bytes = uint64_t{c.rows} * used * size;
  if (!lib::within(c.api, c.site, src, src_bytes) || !lib::within(c.api, c.site, dst, dst_bytes)) return;
  lib::require_apart(c.api, c.site, dst, src, dst_bytes, src_bytes);
  Instr instr(Pipe::V, c.api, c.site);
  instr.reads(strided(src, used * size, c.rows, from_row));
  instr.writes(contiguous(dst, dst_bytes));
  const uint32_t least = akshared::pad_scratch(c.columns, size);
  lib::take_scratch(m, instr, {c.api, c.site, c.tmp, least, least}, {&dst, &src});
  instr.cycles = static_cast<double>(src_bytes) / ops::kBlock * 2;
  instr.run([](Machine& machine, const lib::Padding& p) { lib::run_pad(machine, p); },
            lib::Padding{dst.addr, src.addr, c.rows, from_row, used * size, used, 0, 0, size, 0});
  m.issue(instr);
}

// A row of the mask is one byte, or one bit, for each element; it is as long as mask_columns bytes.
void akrt_l_drop_out(const DropCall& c, const Local& dst, const Local& src, const Local& mask) {
  Machine& m = Machine::current();
  for (const Local* t : {&dst, &src, &mask}) ops::require_allocated(c.api, c.site, *t);
  const uint32_t size = dtype_bytes(src.dtype);
  const bool bits = c.mode == KeepMode::kAuto ? c.mask_columns < c.columns
                                              : c.mode == KeepMode::kBitAligned || c.mode == KeepMode::kBitMisaligned;
  const uint32_t mask_used = bits ? (c.columns + 7) / 8 : c.columns;
  const std::string lengths = " on rows of " + std::to_string(c.columns) + " elements with " +
                              std::to_string(c.mask_columns) + " bytes of mask.";
  if (!lib::require(c.rows != 0 && c.columns != 0 && c.mask_columns >= mask_used, "illegal-argument", c.api, c.site, lengths,
                    "A row of the mask has a byte, or a bit, for every element of a row of the source."))
    return;
  if (!lib::require(c.keep > 0 && c.keep < 1, "illegal-argument", c.api, c.site,
                    " with keepProb " + std::to_string(c.keep) + ".", "keepProb lies between 0 and 1."))
    return;
  const bool close = c.mask_columns == mask_used;
  lib::require(c.columns * size % ops::kBlock == 0 && (close || c.mask_columns % ops::kBlock == 0), "count-alignment", c.api,
               c.site, lengths, "Rows of the source, and rows of a padded mask, cover whole blocks of 32 bytes.");
  const uint64_t bytes = uint64_t{c.rows} * c.columns * size;
  if (!lib::within(c.api, c.site, src, bytes) || !lib::within(c.api, c.site, dst, bytes)) return;
  if (!lib::within(c.api, c.site, mask, uint64_t{c.rows - 1} * c.mask_columns + mask_used)) return;
  Instr instr(Pipe::V, c.api, c.site);
  instr.reads(contiguous(src, bytes));
  instr.reads(strided(mask, mask_used, c.rows, c.mask_columns));
  instr.writes(contiguous(dst, bytes));
  lib::take_scratch(m, instr, {c.api, c.site, c.tmp, ops::kBlock, lib::blocks_of(c.columns * (bits ? 1 : 2))},
                    {&dst, &src, &mask});
  // Bytes become half and are compared with 0; then Select and Muls.
  const double elements = static_cast<double>(c.rows) * lib::round_up(c.columns, 64);
  instr.cycles = elements * ((bits ? 0.0 : 2.0 / 128) + 2.0 / lib::full_rate(src.dtype));
  instr.run([](Machine& machine, const lib::Drop& d) { lib::run_drop(machine, d); },
            lib::Drop{dst.addr, src.addr, mask.addr, c.rows, c.columns, c.mask_columns, bits, m.regs().saturate, src.dtype,
                      1.0f / c.keep});
  m.issue(instr);
}
}
