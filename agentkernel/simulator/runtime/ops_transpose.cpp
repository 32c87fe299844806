// Transpositions: 16 x 16 of one tensor, 16 rows given by their addresses, and NCHW <-> NHWC.
#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "ops_bodies.h"

namespace akrt::ops {

namespace {

constexpr uint32_t kRows = 16;
constexpr uint32_t kMatrix = 512;  // bytes of 16 x 16 elements of 16 bits

// ---- 16 rows at addresses ---------------------------------------------------------------------------------------
struct Rows {
  std::array<uint32_t, kRows> dst{}, src{};  // UB byte addresses
  uint32_t repeats = 1;
  int32_t dst_repeat = 0, src_repeat = 0;  // bytes
  uint32_t size = 2;                       // of an element
  uint32_t piece = kBlock;                 // bytes of a row that take part
  bool touches = false;                    // the rows are in no regular order: each is declared when it is moved
};

uint32_t at(uint32_t row, uint32_t repeat, int32_t stride) {
  return static_cast<uint32_t>(int64_t{row} + int64_t{repeat} * stride);
}

// Elements of 16 rows become columns. 16 bits: column i is block i. 32 bits: column i is blocks 2i and 2i + 1. 8 bits:
// column i is one half of block i.
void turn(const uint8_t* rows, uint8_t* columns, uint32_t size) {
  const uint32_t per_row = size == 4 ? 8 : kRows;
  const uint32_t stride = per_row * size;  // bytes of a row
  for (uint32_t i = 0; i < kRows; ++i)
    for (uint32_t j = 0; j < per_row; ++j)
      std::memcpy(columns + (j * kRows + i) * size, rows + i * stride + j * size, size);
}

bool touch_rows(Machine& m, const Rows& c, uint32_t repeat, bool write) {
  bool inside = true;
  for (uint32_t i = 0; i < kRows; ++i) {
    Access a;
    a.write = write;
    a.align = static_cast<uint8_t>(c.piece);
    a.base = write ? at(c.dst[i], repeat, c.dst_repeat) : at(c.src[i], repeat, c.src_repeat);
    a.piece = c.piece;
    inside &= m.touch(a);
  }
  return inside;
}

void turn_rows(Machine& m, const Rows& c) {
  uint8_t* ub = m.memory(Space::UB);
  std::array<uint8_t, kMatrix> rows{}, columns{};
  for (uint32_t r = 0; r < c.repeats; ++r) {
    if (c.touches && !(touch_rows(m, c, r, false) && touch_rows(m, c, r, true))) continue;
    for (uint32_t i = 0; i < kRows; ++i)
      std::memcpy(&rows[i * c.piece], ub + at(c.src[i], r, c.src_repeat), c.piece);
    turn(rows.data(), columns.data(), c.size);
    for (uint32_t i = 0; i < kRows; ++i)
      std::memcpy(ub + at(c.dst[i], r, c.dst_repeat), &columns[i * c.piece], c.piece);
  }
}

// One access for rows at a constant distance; false where they are not.
bool regular(const Local* rows, uint32_t piece, uint32_t repeats, int32_t repeat_stride, uint32_t skip, Access& a) {
  const int64_t step = int64_t{rows[1].addr} - int64_t{rows[0].addr};
  for (uint32_t i = 1; i < kRows; ++i)
    if (int64_t{rows[i].addr} - int64_t{rows[i - 1].addr} != step) return false;
  a = strided(rows[0], piece, kRows, step, repeats, repeat_stride);
  a.base += skip;
  for (uint32_t i = 0; i < kRows; ++i) {
    a.begin = std::min<uint64_t>(a.begin, rows[i].addr);
    a.end = std::max(a.end, uint64_t{rows[i].addr} + rows[i].bytes);
  }
  if (skip != 0) a.align = 16;
  return true;
}

// Rows that have no common access end inside their own tensors.
void check_rows(const char* api, Site site, const Local* rows, uint32_t bytes, uint32_t repeats, int32_t stride) {
  for (uint32_t i = 0; i < kRows; ++i) {
    const int64_t end = int64_t{bytes} + int64_t{repeats - 1} * stride;
    if (end <= rows[i].bytes) continue;
    complain("out-of-bounds", api, site,
             std::string(api) + " takes " + std::to_string(end) + " bytes from row " + std::to_string(i) +
                 ", whose tensor has " + std::to_string(rows[i].bytes) + ".",
             "Each of the 16 rows is a block of 32 bytes, and repeats advance by the repeat stride in blocks.");
    return;
  }
}

// Halves of blocks are aligned to 16 bytes, so that the alignment of their blocks is a check of its own.
void check_blocks(const char* api, Site site, const Local* dst, const Local* src) {
  for (uint32_t i = 0; i < kRows; ++i) {
    if (dst[i].addr % kBlock == 0 && src[i].addr % kBlock == 0) continue;
    complain("misaligned-address", api, site,
             std::string(api) + " with row " + std::to_string(i) + " at an address that is no multiple of 32 bytes.",
             "Rows are whole blocks of 32 bytes; dstHighHalf and srcHighHalf choose the half.");
    return;
  }
}

bool repeats_ok(const char* api, Site site, const RowsCall& call) {
  if (call.repeat != 0) return true;
  complain("repeat-range", api, site, std::string(api) + " with repeatTimes 0.", "repeatTimes is 1 to 255.");
  return false;
}

Rows rows_of(DType dtype, const RowsCall& call) {
  Rows c;
  c.repeats = call.repeat;
  c.dst_repeat = call.repeat == 1 ? 0 : call.dst_stride * static_cast<int32_t>(kBlock);
  c.src_repeat = call.repeat == 1 ? 0 : call.src_stride * static_cast<int32_t>(kBlock);
  c.size = bits_of(dtype) / 8;
  c.piece = c.size == 1 ? 16 : kBlock;
  return c;
}

// 8-bit elements take part of a block: its upper half begins after 16 bytes.
uint32_t skip_of(const Rows& c, bool high) { return c.size == 1 && high ? 16 : 0; }

// UB addresses from a list of host addresses in UB.
void look_up(Machine& m, uint32_t list, uint32_t skip, std::array<uint32_t, kRows>& rows) {
  const uint8_t* ub = m.memory(Space::UB);
  for (uint32_t i = 0; i < kRows; ++i) {
    uint64_t address = 0;
    std::memcpy(&address, ub + list + 8 * i, 8);
    const uint64_t inside = address - reinterpret_cast<uint64_t>(ub);
    rows[i] = static_cast<uint32_t>(std::min<uint64_t>(inside, m.capacity(Space::UB))) + skip;
  }
}

// A row that a repeat has written and a later one reads.
bool reads_back(const Rows& c) {
  std::set<uint32_t> written;
  for (uint32_t r = 0; r < c.repeats; ++r) {
    for (const uint32_t row : c.src)
      if (written.contains(at(row, r, c.src_repeat) / 16)) return true;
    for (const uint32_t row : c.dst)
      for (uint32_t b = 0; b < c.piece; b += 16) written.insert((at(row, r, c.dst_repeat) + b) / 16);
  }
  return false;
}

// ---- NCHW <-> NHWC ----------------------------------------------------------------------------------------------
struct Layout {
  uint32_t dst, src;
  uint32_t n, rows, columns;  // each of the n matrices is transposed
  uint32_t size;
};

void turn_layout(Machine& m, const Layout& c) {
  uint8_t* ub = m.memory(Space::UB);
  const uint32_t matrix = c.rows * c.columns * c.size;
  for (uint32_t n = 0; n < c.n; ++n)
    for (uint32_t i = 0; i < c.rows; ++i)
      for (uint32_t j = 0; j < c.columns; ++j)
        std::memcpy(ub + c.dst + n * matrix + (j * c.rows + i) * c.size,
                    ub + c.src + n * matrix + (i * c.columns + j) * c.size, c.size);
}

bool meet(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) { return a < b + b_bytes && b < a + a_bytes; }

void partly(const char* api, Site site) {
  complain("operand-overlap", api, site, std::string(api) + ": source and destination overlap.",
           "Give the result another buffer.");
}

bool layout_ok(const char* api, Site site, const TransposeCall& call, uint32_t size) {
  const uint32_t image = uint32_t{call.h} * call.w;
  const char* why = nullptr;
  if (call.c > 4095) why = "cSize is at most 4095.";
  if (image > 4095) why = "hSize * wSize is at most 4095.";
  if (image * size % kBlock != 0) why = "hSize * wSize * sizeof(T) has to be a multiple of 32 bytes.";
  if (why == nullptr) return true;
  complain("illegal-argument", api, site,
           std::string(api) + " of " + std::to_string(call.c) + " channels of " + std::to_string(call.h) + " x " +
               std::to_string(call.w) + " elements.",
           why);
  return false;
}

}  // namespace

}  // namespace akrt::ops

using namespace akrt;

extern "C" {

void akrt_v_transpose16(const char* api, const Local& dst, const Local& src, Site site) {
  Machine& m = Machine::current();
  ops::require_allocated(api, site, dst);
  ops::require_allocated(api, site, src);
  if (dst.addr != src.addr && ops::meet(dst.addr, ops::kMatrix, src.addr, ops::kMatrix)) ops::partly(api, site);
  struct Square {
    uint32_t dst, src;
  };
  Instr instr(Pipe::V, api, site);
  instr.reads(contiguous(src, ops::kMatrix));
  instr.writes(contiguous(dst, ops::kMatrix));
  instr.cycles = 2;
  instr.run(
      [](Machine& machine, const Square& p) {
        uint8_t* ub = machine.memory(Space::UB);
        std::array<uint8_t, ops::kMatrix> columns{};
        ops::turn(ub + p.src, columns.data(), 2);
        std::memcpy(ub + p.dst, columns.data(), columns.size());
      },
      Square{dst.addr, src.addr});
  m.issue(instr);
}

void akrt_v_rows_to_columns(const char* api, const Local* dst, const Local* src, const RowsCall& call, Site site) {
  Machine& m = Machine::current();
  if (!ops::repeats_ok(api, site, call)) return;
  ops::Rows c = ops::rows_of(dst[0].dtype, call);
  const uint32_t dst_skip = ops::skip_of(c, call.dst_high);
  const uint32_t src_skip = ops::skip_of(c, call.src_high);
  for (uint32_t i = 0; i < ops::kRows; ++i) {
    ops::require_allocated(api, site, dst[i]);
    ops::require_allocated(api, site, src[i]);
    c.dst[i] = dst[i].addr + dst_skip;
    c.src[i] = src[i].addr + src_skip;
  }
  if (c.size == 1) ops::check_blocks(api, site, dst, src);
  if (ops::reads_back(c)) ops::partly(api, site);
  Instr instr(Pipe::V, api, site);
  Access read, written;
  c.touches = !ops::regular(src, c.piece, c.repeats, c.src_repeat, src_skip, read) ||
              !ops::regular(dst, c.piece, c.repeats, c.dst_repeat, dst_skip, written);
  if (c.touches) {
    ops::check_rows(api, site, src, src_skip + c.piece, c.repeats, c.src_repeat);
    ops::check_rows(api, site, dst, dst_skip + c.piece, c.repeats, c.dst_repeat);
  } else {
    instr.reads(read);
    instr.writes(written);
  }
  instr.cycles = 2.0 * c.repeats;
  instr.run([](Machine& machine, const ops::Rows& p) { ops::turn_rows(machine, p); }, c);
  m.issue(instr);
}

void akrt_v_transpose_layout(const char* api, const Local& dst, const Local& src, const Local& work,
                             const TransposeCall& call, Site site) {
  Machine& m = Machine::current();
  const uint32_t size = ops::bits_of(src.dtype) / 8;
  if (!ops::layout_ok(api, site, call, size)) return;
  ops::require_allocated(api, site, dst);
  ops::require_allocated(api, site, src);
  const uint32_t image = uint32_t{call.h} * call.w;
  const uint64_t bytes = uint64_t{call.n} * call.c * image * size;
  if (bytes == 0) return;
  if (ops::meet(dst.addr, bytes, src.addr, bytes)) ops::partly(api, site);
  const uint32_t h0 = size == 1 ? 32 : 16;
  const uint32_t w0 = ops::kBlock / size;
  const uint32_t need = (call.to_last ? call.c + 2u : 2u * call.c + 1) * h0 * w0 * size;
  if (work.bytes < need)
    ops::complain("work-too-small", api, site,
                  std::string(api) + " needs " + std::to_string(need) + " bytes of work space; the tensor has " +
                      std::to_string(work.bytes) + ".",
                  "Size sharedTmpBuffer by the documented formula for this transpose type.");
  const ops::Layout c{dst.addr, src.addr, call.n, call.to_last ? call.c : image, call.to_last ? image : call.c, size};
  Instr instr(Pipe::V, api, site);
  instr.reads(contiguous(src, bytes));
  instr.writes(contiguous(dst, bytes));
  instr.writes(contiguous(work, std::min(need, work.bytes)));
  instr.cycles = 2.0 * static_cast<double>(bytes) / ops::kRepeatBytes;  // into 16 x 16 squares and out of them
  instr.run([](Machine& machine, const ops::Layout& p) { ops::turn_layout(machine, p); }, c);
  m.issue(instr);
}

// The addresses stand in UB, as SetValue left them: 16 host addresses each for destination and source.
void akrt_v_rows_listed(const char* api, DType dtype, const Local& dst, const Local& src, const RowsCall& call,
                        Site site) {
  Machine& m = Machine::current();
  ops::require_allocated(api, site, dst);
  ops::require_allocated(api, site, src);
  if (!ops::repeats_ok(api, site, call)) return;
  struct Listed {
    ops::Rows rows;
    uint32_t dst, src, dst_skip, src_skip;
  };
  Listed l{ops::rows_of(dtype, call), dst.addr, src.addr, 0, 0};
  l.rows.touches = true;
  l.dst_skip = ops::skip_of(l.rows, call.dst_high);
  l.src_skip = ops::skip_of(l.rows, call.src_high);
  Instr instr(Pipe::V, api, site);
  instr.reads(contiguous(src, 8 * ops::kRows));
  instr.reads(contiguous(dst, 8 * ops::kRows));
  instr.reads_decide();
  instr.cycles = 2.0 * l.rows.repeats;
  instr.run(
      [](Machine& machine, const Listed& p) {
        ops::Rows c = p.rows;
        ops::look_up(machine, p.dst, p.dst_skip, c.dst);
        ops::look_up(machine, p.src, p.src_skip, c.src);
        ops::turn_rows(machine, c);
      },
      l);
  m.issue(instr);
}

void akrt_v_rows_by_register(const char* api, DType dtype, int32_t dst, int32_t src, const RowsCall& call, Site site) {
  Machine& m = Machine::current();
  if (dst < 0 || dst > 6 || src < 0 || src > 6) {
    ops::complain("illegal-argument", api, site, std::string(api) + " with VA7 as the first of two address registers.",
                  "16 addresses take two registers: start at VA0 to VA6.");
    return;
  }
  const uint32_t capacity = m.capacity(Space::UB);
  const auto local = [&](int32_t va, uint32_t i) {
    const uint64_t address = m.regs().va[static_cast<size_t>(va) + i / 8][i % 8];
    const auto inside = static_cast<uint32_t>(std::min<uint64_t>(address, capacity));
    return Local{inside, capacity - inside, static_cast<uint8_t>(Position::VECCALC), dtype};
  };
  std::array<Local, ops::kRows> to{}, from{};
  for (uint32_t i = 0; i < ops::kRows; ++i) {
    to[i] = local(dst, i);
    from[i] = local(src, i);
  }
  akrt_v_rows_to_columns(api, to.data(), from.data(), call, site);
}
}
