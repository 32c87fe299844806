// Into L1 on MTE2, out of it on MTE3, from it to the bias table on MTE1 and to the Fixpipe buffer on FIX; constants.
#include <algorithm>
#include <cstring>

#include "core.h"
#include "ops_cube.h"
#include "ops_numeric.h"

namespace akrt::cube {

namespace {

// ---- rows to columns of blocks ------------------------------------------------------------------------------------
struct ToNz {
  uint64_t src;
  uint32_t dst;
  uint32_t matrices, rows;
  uint32_t width;                 // bytes of a row
  uint64_t src_matrix, src_row;   // bytes
  uint32_t dst_matrix, dst_column, dst_row;
};

Access columns(const Local& dst, const ToNz& c, uint32_t matrix) {
  Access a = strided(from(dst, uint64_t{matrix} * c.dst_matrix), ops::kBlock, c.rows, c.dst_row, ceil_div(c.width, ops::kBlock),
                     c.dst_column);
  a.write = true;
  return a;
}

void to_nz(Machine& m, const ToNz& c) {
  for (uint32_t matrix = 0; matrix < c.matrices; ++matrix) {
    const auto* row = reinterpret_cast<const uint8_t*>(c.src + matrix * c.src_matrix);
    uint8_t* const out = m.memory(Space::L1) + c.dst + size_t{matrix} * c.dst_matrix;
    const uint32_t whole = c.width / ops::kBlock;
    const uint32_t rest = c.width % ops::kBlock;
    for (uint32_t r = 0; r < c.rows; ++r, row += c.src_row) {
      uint8_t* to = out + size_t{r} * c.dst_row;
      for (uint32_t b = 0; b < whole; ++b, to += c.dst_column) std::memcpy(to, row + size_t{b} * ops::kBlock, ops::kBlock);
      if (rest == 0) continue;
      std::memcpy(to, row + size_t{whole} * ops::kBlock, rest);
      std::memset(to + rest, 0, ops::kBlock - rest);  // columns that fill up the last block
    }
  }
}

// ---- tables -------------------------------------------------------------------------------------------------------
struct Table {
  Space space;
  uint32_t dst, src;
  uint32_t count, bytes, dst_step, src_step;  // bytes in L1
  bool widen;                                 // half to float
};

void to_table(Machine& m, const Table& c) {
  for (uint32_t i = 0; i < c.count; ++i) {
    const uint8_t* in = m.memory(Space::L1) + c.src + size_t{i} * c.src_step;
    uint8_t* out = m.memory(c.space) + c.dst + size_t{i} * c.dst_step;
    if (!c.widen) {
      std::memcpy(out, in, c.bytes);
      continue;
    }
    for (uint32_t e = 0; e < c.bytes / 2; ++e) {
      uint16_t bits;
      std::memcpy(&bits, in + 2 * e, 2);
      const float value = ops::half_value(bits);
      std::memcpy(out + 4 * e, &value, 4);
    }
  }
}

bool table_positions(const char* api, Site site, const Local& dst, const Local& src) {
  return require_space(api, site, dst, {Space::BT, Space::FB},
                       "DataCopy between local tensors of the cube core goes from L1 (A1, B1, C1) to the bias table (C2) or the "
                       "Fixpipe buffer (C2PIPE2GM).") &&
         require_space(api, site, src, {Space::L1},
                       "The bias table and the Fixpipe buffer are filled from L1: the source is a tensor of A1, B1 or C1.");
}

void copy_table(Machine& m, const char* api, const Local& dst, const Local& src, const Table& c, Site site) {
  if (c.count == 0 || c.bytes == 0) return;
  const uint32_t written = c.widen ? 2 * c.bytes : c.bytes;
  Instr instr(c.space == Space::BT ? Pipe::MTE1 : Pipe::FIX, api, site);
  instr.reads(strided(src, c.bytes, c.count, c.src_step));
  instr.writes(strided(dst, written, c.count, c.dst_step));
  const Costs& costs = m.core().launch().clock().costs();
  instr.cycles = uint64_t{written} * c.count / costs.table_bytes_per_cycle;
  instr.latency = costs.table_latency;
  instr.run([](Machine& machine, const Table& p) { to_table(machine, p); }, c);
  m.issue(instr);
}

// ---- constants ----------------------------------------------------------------------------------------------------
struct Constant {
  Space space;
  uint32_t dst, repeat, bytes, step;
  uint8_t size;
  uint64_t value;
};

void fill(Machine& m, const Constant& c) {
  for (uint32_t i = 0; i < c.repeat; ++i) {
    uint8_t* to = m.memory(c.space) + c.dst + size_t{i} * c.step;
    for (uint32_t b = 0; b < c.bytes; b += c.size) std::memcpy(to + b, &c.value, c.size);
  }
}

}  // namespace

}  // namespace akrt::cube

using namespace akrt;

extern "C" {

void akrt_c_load(const char* api, const Local& dst, const Global& src, const Burst& burst, Site site) {
  if (cube::runs(Machine::current(), api, site)) akrt_d_load(api, dst, src, burst, site);
}

void akrt_c_store(const char* api, const Global& dst, const Local& src, const Burst& burst, Site site) {
  if (cube::runs(Machine::current(), api, site)) akrt_d_store(api, dst, src, burst, site);
}

void akrt_c_load_nz(const char* api, const Local& dst, const Global& src, const NzCall& call, Site site) {
  Machine& m = Machine::current();
  if (!cube::runs(m, api, site)) return;
  if (!cube::require_space(api, site, dst, {Space::L1}, "ND to NZ on the way from global memory ends in L1 (A1, B1, C1) or UB."))
    return;
  const NzCall& n = call;
  if (n.matrices == 0 || n.rows == 0 || n.columns == 0) return;
  // Strides that nothing is reached by may be anything.
  const bool legal = cube::in_range(api, site, "ndNum", n.matrices, 0, 4095) &&
                     cube::in_range(api, site, "nValue", n.rows, 0, 16384) &&
                     (n.rows == 1 || cube::in_range(api, site, "srcDValue", n.nd_row, 1, 65535)) &&
                     (n.rows == 1 || cube::in_range(api, site, "dstNzNStride", n.nz_row, 1, 16384)) &&
                     cube::in_range(api, site, "dstNzC0Stride", n.nz_column, 0, 16384);
  if (!legal) return;
  const uint64_t bits = ops::bits_of(src.dtype);
  cube::ToNz c{};
  c.src = src.addr, c.dst = dst.addr;
  c.matrices = n.matrices, c.rows = n.rows;
  c.width = static_cast<uint32_t>((n.columns * bits + 7) / 8);
  c.src_matrix = n.nd_matrix * bits / 8, c.src_row = n.nd_row * bits / 8;
  c.dst_matrix = static_cast<uint32_t>(n.nz_matrix * bits / 8);
  c.dst_column = n.nz_column * ops::kBlock, c.dst_row = n.nz_row * ops::kBlock;
  if (n.matrices > 1 && c.dst_matrix % ops::kBlock != 0) {
    ops::complain("misaligned-address", api, site,
                  std::string(api) + " with dstNzMatrixStride " + std::to_string(n.nz_matrix) + ", which is no multiple of 32 bytes.",
                  "Matrices start at multiples of 32 bytes in L1; dstNzMatrixStride is in elements.");
    return;
  }
  if (c.rows > 1 && c.width > ops::kBlock && c.dst_column < ops::kBlock) {
    ops::complain("illegal-argument", api, site, std::string(api) + " with dstNzC0Stride 0.", "dstNzC0Stride is 1 to 16384.");
    return;
  }
  Instr instr(Pipe::MTE2, api, site);
  instr.reads(strided(src, c.width, c.rows, static_cast<int64_t>(c.src_row), c.matrices, static_cast<int64_t>(c.src_matrix)));
  // One column of blocks after the other, of each matrix.
  struct All {
    Local dst;
    cube::ToNz c;
  };
  instr.writes(cube::columns(dst, c, 0));
  instr.bytes_moved = uint64_t{c.matrices} * c.rows * c.width;
  instr.run(
      [](Machine& machine, const All& p) {
        for (uint32_t matrix = 1; matrix < p.c.matrices; ++matrix)
          if (!machine.touch(cube::columns(p.dst, p.c, matrix))) return;
        cube::to_nz(machine, p.c);
      },
      All{dst, c});
  m.issue(instr);
}

void akrt_c_copy_table(const char* api, const Local& dst, const Local& src, uint32_t count, uint32_t length, uint32_t src_gap,
                       uint32_t dst_gap, Site site) {
  Machine& m = Machine::current();
  if (!cube::runs(m, api, site) || !cube::table_positions(api, site, dst, src)) return;
  cube::Table c{};
  c.space = space_of(dst.position);
  c.widen = src.dtype == DType::kFloat16 && dst.dtype == DType::kFloat32;
  const uint32_t unit = c.space == Space::BT ? 64 : 128;
  c.dst = dst.addr, c.src = src.addr, c.count = count, c.bytes = length * unit;
  c.src_step = c.bytes + src_gap * ops::kBlock;
  c.dst_step = (c.widen ? 2 * c.bytes : c.bytes) + dst_gap * unit;
  cube::copy_table(m, api, dst, src, c, site);
}

void akrt_c_copy_table_count(const char* api, const Local& dst, const Local& src, uint64_t bytes, Site site) {
  Machine& m = Machine::current();
  if (!cube::runs(m, api, site) || !cube::table_positions(api, site, dst, src)) return;
  cube::Table c{};
  c.space = space_of(dst.position);
  const uint32_t unit = c.space == Space::BT ? 64 : 128;
  if (bytes % unit != 0)
    ops::complain("unaligned-copy", api, site,
                  std::string(api) + " of " + std::to_string(bytes) + " bytes: the last " + std::to_string(bytes % unit) +
                      " bytes are not copied, since lengths count whole units of " + std::to_string(unit) + " bytes.",
                  "Round the count up to whole units, and give the tensors room for them.");
  c.dst = dst.addr, c.src = src.addr, c.count = 1, c.bytes = static_cast<uint32_t>(bytes / unit * unit);
  cube::copy_table(m, api, dst, src, c, site);
}

void akrt_c_fill(const char* api, const Local& dst, uint16_t repeat, uint16_t blocks, uint16_t gap, uint64_t value, Site site) {
  Machine& m = Machine::current();
  if (!cube::runs(m, api, site)) return;
  if (!cube::require_space(api, site, dst, {Space::L1, Space::L0A, Space::L0B}, "Only L1, L0A and L0B can be filled with a constant."))
    return;
  if (!cube::in_range(api, site, "repeatTimes", repeat, 0, 32767) || !cube::in_range(api, site, "blockNum", blocks, 0, 32767) ||
      !cube::in_range(api, site, "dstGap", gap, 0, 32767))
    return;
  if (repeat == 0 || blocks == 0) return;
  cube::Constant c{};
  c.space = space_of(dst.position);
  const uint32_t unit = c.space == Space::L1 ? ops::kBlock : cube::kFractal;
  c.dst = dst.addr, c.repeat = repeat, c.bytes = blocks * unit, c.step = (uint32_t{blocks} + gap) * unit;
  c.size = static_cast<uint8_t>(dtype_bytes(dst.dtype)), c.value = value;
  Instr instr(c.space == Space::L1 ? Pipe::MTE2 : Pipe::MTE1, api, site);
  instr.writes(strided(dst, c.bytes, repeat, c.step));
  instr.fills = true;
  const Costs& costs = m.core().launch().clock().costs();
  instr.cycles = uint64_t{c.bytes} * repeat / (c.space == Space::L0A ? costs.l0a_bytes_per_cycle : costs.l0b_bytes_per_cycle);
  instr.run([](Machine& machine, const cube::Constant& p) { cube::fill(machine, p); }, c);
  m.issue(instr);
}
}
