// LoadData 2D and LoadDataWithTranspose: fractals of 512 bytes from L1 to L0A and L0B, and from global memory.
#include <array>
#include <cstring>

#include "core.h"
#include "ops_cube.h"

namespace akrt::cube {

namespace {

struct Fractals {
  Space from, to;
  uint64_t src;
  uint32_t dst;
  uint32_t repeat;
  int64_t src_step;
  uint32_t dst_step;
  bool transpose;
};

void turn16(const uint8_t* in, uint8_t* out) {
  uint16_t x[kSide][kSide], y[kSide][kSide];
  std::memcpy(x, in, kFractal);
  for (uint32_t i = 0; i < kSide; ++i)
    for (uint32_t j = 0; j < kSide; ++j) y[j][i] = x[i][j];
  std::memcpy(out, y, kFractal);
}

void move(Machine& m, const Fractals& c) {
  for (uint32_t i = 0; i < c.repeat; ++i) {
    const uint8_t* in = m.at(c.from, c.src + static_cast<uint64_t>(int64_t{i} * c.src_step));
    uint8_t* out = m.memory(c.to) + c.dst + size_t{i} * c.dst_step;
    if (c.transpose) turn16(in, out);
    else std::memcpy(out, in, kFractal);
  }
}

// Rows of an L1 fractal that nothing was loaded into are copied along and ignored by Mmad, so only a load that brings
// nothing at all is worth a word.
double rate(const Costs& costs, Space to) { return to == Space::L0A ? costs.l0a_bytes_per_cycle : costs.l0b_bytes_per_cycle; }

bool check(const char* api, Site site, const FractalLoad& call, DType dtype, bool global) {
  if (!call.transpose) return true;
  if (global) {
    ops::complain("illegal-argument", api, site, std::string(api) + " from global memory with ifTranspose.",
                  "Fractals are transposed only on the way from L1.");
    return false;
  }
  if (ops::bits_of(dtype) != 16) {
    ops::complain("illegal-argument", api, site, std::string(api) + " with ifTranspose on " + ops::name_of(dtype) + ".",
                  "ifTranspose works on 16-bit types; use LoadDataWithTranspose for the others.");
    return false;
  }
  return true;
}

// Whole fractals from L1 (Local) or global memory (Global), with the instruction's pipe and time set.
template <typename Tensor>
void load(Machine& m, Instr& instr, Space space, const Local& dst, const Tensor& src, const FractalLoad& call) {
  const uint64_t start = uint64_t{call.start} * kFractal;
  Fractals c{};
  c.from = space, c.to = space_of(dst.position);
  c.src = src.addr + start, c.dst = dst.addr, c.repeat = call.repeat;
  c.src_step = (call.backward ? -1 : 1) * int64_t{call.src_stride} * kFractal;
  c.dst_step = (1u + call.dst_gap) * kFractal;
  c.transpose = call.transpose;
  Access read = strided(src, kFractal, c.repeat, c.src_step);
  read.base += start;
  instr.reads(read);
  instr.writes(strided(dst, kFractal, c.repeat, c.dst_step));
  instr.run([](Machine& machine, const Fractals& p) { move(machine, p); }, c);
  m.issue(instr);
}

// ---- squares ------------------------------------------------------------------------------------------------------
struct Squares {
  Space to;
  uint32_t src, dst, repeat;
  int64_t src_step;
  uint32_t dst_step, inner_step;
  uint8_t bits;
};

// A square of fractals is put together from consecutive fractals: below each other where they are as wide as the square
// (8 and 4 bits), beside each other where they are half as wide (32 bits).
struct Shape {
  uint32_t side;      // elements
  uint32_t fractals;
  uint32_t columns;   // of a fractal
};
constexpr Shape shape_of(uint8_t bits) {
  switch (bits) {
    case 4: return {64, 4, 64};
    case 8: return {32, 2, 32};
    case 16: return {16, 1, 16};
    default: return {16, 2, 8};
  }
}

template <typename T>
void turn(const uint8_t* in, uint8_t* out, uint32_t inner_step, const Shape& s) {
  std::array<T, 1024> square, turned;  // by rows
  const bool beside = s.columns < s.side;
  const auto place = [&](uint32_t fractal, uint32_t row, uint32_t column) {
    return beside ? row * s.side + fractal * s.columns + column : (fractal * kSide + row) * s.side + column;
  };
  for (uint32_t f = 0; f < s.fractals; ++f)
    for (uint32_t r = 0; r < kSide; ++r)
      std::memcpy(&square[place(f, r, 0)], in + size_t{f} * kFractal + size_t{r} * ops::kBlock, ops::kBlock);
  for (uint32_t r = 0; r < s.side; ++r)
    for (uint32_t c = 0; c < s.side; ++c) turned[c * s.side + r] = square[r * s.side + c];
  for (uint32_t f = 0; f < s.fractals; ++f)
    for (uint32_t r = 0; r < kSide; ++r)
      std::memcpy(out + size_t{f} * inner_step + size_t{r} * ops::kBlock, &turned[place(f, r, 0)], ops::kBlock);
}

void turn4(const uint8_t* in, uint8_t* out, uint32_t inner_step) {
  std::array<uint8_t, 4096> square, turned;
  for (uint32_t i = 0; i < 2048; ++i) square[2 * i] = in[i] & 15, square[2 * i + 1] = in[i] >> 4;
  for (uint32_t r = 0; r < 64; ++r)
    for (uint32_t c = 0; c < 64; ++c) turned[c * 64 + r] = square[r * 64 + c];
  for (uint32_t i = 0; i < 2048; ++i)
    out[i / kFractal * inner_step + i % kFractal] = static_cast<uint8_t>(turned[2 * i] | turned[2 * i + 1] << 4);
}

void turn_all(Machine& m, const Squares& c) {
  const Shape s = shape_of(c.bits);
  for (uint32_t i = 0; i < c.repeat; ++i) {
    const uint8_t* in = m.memory(Space::L1) + static_cast<uint64_t>(int64_t{c.src} + int64_t{i} * c.src_step);
    uint8_t* out = m.memory(c.to) + c.dst + size_t{i} * c.dst_step;
    switch (c.bits) {
      case 4: turn4(in, out, c.inner_step); break;
      case 8: turn<uint8_t>(in, out, c.inner_step, s); break;
      case 16: turn<uint16_t>(in, out, c.inner_step, s); break;
      default: turn<uint32_t>(in, out, c.inner_step, s);
    }
  }
}

// ---- dense weights with an index ----------------------------------------------------------------------------------
struct Sparse {
  uint32_t src, index, dst, repeat;
  int32_t step;
  uint32_t dst_step;
};

void load_sparse(Machine& m, const Sparse& c) {
  const uint8_t* l1 = m.memory(Space::L1);
  for (uint32_t i = 0; i < c.repeat; ++i) {
    const auto fractal = static_cast<uint32_t>(static_cast<int32_t>(i) * c.step);
    const uint32_t at = c.dst + i * c.dst_step;
    std::memcpy(m.memory(Space::L0B) + at, l1 + c.src + fractal * kFractal, kFractal);
    std::memcpy(m.regs().sparse_index[at / kFractal].data(), l1 + c.index + fractal * Registers::kIndexBytes, Registers::kIndexBytes);
  }
}

}  // namespace

}  // namespace akrt::cube

using namespace akrt;

extern "C" {

void akrt_c_load_fractals(const char* api, const Local& dst, const Local& src, const FractalLoad& call, Site site) {
  Machine& m = Machine::current();
  if (!cube::runs(m, api, site)) return;
  if (!cube::require_space(api, site, dst, {Space::L0A, Space::L0B}, "LoadData between local tensors ends in L0A (A2) or L0B (B2).") ||
      !cube::require_space(api, site, src, {Space::L1}, "LoadData to L0A and L0B starts from L1 (A1, B1) or from global memory.") ||
      !cube::check(api, site, call, src.dtype, false) || call.repeat == 0)
    return;
  Instr instr(Pipe::MTE1, api, site);
  const Costs& costs = m.core().launch().clock().costs();
  instr.cycles = uint64_t{call.repeat} * cube::kFractal / cube::rate(costs, space_of(dst.position));
  instr.latency = costs.load_latency;
  cube::load(m, instr, Space::L1, dst, src, call);
}

void akrt_c_load_fractals_global(const char* api, const Local& dst, const Global& src, const FractalLoad& call, Site site) {
  Machine& m = Machine::current();
  if (!cube::runs(m, api, site)) return;
  if (!cube::require_space(api, site, dst, {Space::L1, Space::L0A, Space::L0B},
                           "LoadData from global memory ends in L1 (A1, B1), L0A (A2) or L0B (B2).") ||
      !cube::check(api, site, call, src.dtype, true) || call.repeat == 0)
    return;
  Instr instr(Pipe::MTE2, api, site);
  instr.bytes_moved = uint64_t{call.repeat} * cube::kFractal;
  cube::load(m, instr, Space::GM, dst, src, call);
}

void akrt_c_load_squares(const char* api, const Local& dst, const Local& src, const FractalLoad& call, Site site) {
  Machine& m = Machine::current();
  if (!cube::runs(m, api, site)) return;
  if (!cube::require_space(api, site, dst, {Space::L0A, Space::L0B}, "LoadDataWithTranspose ends in L0A (A2) or L0B (B2).") ||
      !cube::require_space(api, site, src, {Space::L1}, "LoadDataWithTranspose starts from L1 (A1, B1).") || call.repeat == 0)
    return;
  const auto bits = static_cast<uint8_t>(ops::bits_of(src.dtype));
  if (bits == 4 && space_of(dst.position) != Space::L0B) {
    ops::complain("illegal-position", api, site, std::string(api) + " of int4b_t to L0A.", "4-bit squares are transposed to L0B (B2) only.");
    return;
  }
  const cube::Shape shape = cube::shape_of(bits);
  const uint32_t square = shape.fractals * cube::kFractal;
  const uint64_t start = uint64_t{call.start} * square;
  cube::Squares c{};
  c.to = space_of(dst.position), c.bits = bits;
  c.src = static_cast<uint32_t>(src.addr + start), c.dst = dst.addr, c.repeat = call.repeat;
  c.src_step = (call.backward ? -1 : 1) * int64_t{call.src_stride} * square;
  c.dst_step = (1u + call.dst_gap) * cube::kFractal;
  c.inner_step = (1u + (shape.fractals == 1 ? 0 : call.inner_gap)) * cube::kFractal;
  Instr instr(Pipe::MTE1, api, site);
  Access read = strided(src, square, c.repeat, c.src_step);
  read.base += start;
  instr.reads(read);
  instr.writes(strided(dst, cube::kFractal, shape.fractals, c.inner_step, c.repeat, c.dst_step));
  const Costs& costs = m.core().launch().clock().costs();
  instr.cycles = uint64_t{c.repeat} * square / cube::rate(costs, c.to);
  instr.latency = costs.load_latency;
  instr.run([](Machine& machine, const cube::Squares& p) { cube::turn_all(machine, p); }, c);
  m.issue(instr);
}

void akrt_c_load_sparse(const char* api, const Local& dst, const Local& src, const Local& index, const FractalLoad& call, Site site) {
  Machine& m = Machine::current();
  if (!cube::runs(m, api, site)) return;
  if (!cube::require_space(api, site, dst, {Space::L0B}, "LoadDataWithSparse ends in L0B (B2).") ||
      !cube::require_space(api, site, src, {Space::L1}, "LoadDataWithSparse starts from L1 (B1).") ||
      !cube::require_space(api, site, index, {Space::L1}, "The index of LoadDataWithSparse is in L1 (B1).") || call.repeat == 0)
    return;
  if (call.transpose) {
    ops::complain("illegal-argument", api, site, std::string(api) + " with ifTranspose.", "Sparse weights cannot be transposed on the way.");
    return;
  }
  cube::Sparse c{};
  c.src = src.addr + call.start * cube::kFractal, c.index = index.addr + call.start * Registers::kIndexBytes, c.dst = dst.addr;
  c.repeat = call.repeat, c.step = call.backward ? -int32_t{call.src_stride} : int32_t{call.src_stride};
  c.dst_step = (1u + call.dst_gap) * cube::kFractal;
  Instr instr(Pipe::MTE1, api, site);
  Access read = strided(src, cube::kFractal, c.repeat, int64_t{c.step} * cube::kFractal);
  read.base = c.src;
  instr.reads(read);
  Access indices = strided(index, Registers::kIndexBytes, c.repeat, int64_t{c.step} * Registers::kIndexBytes);
  indices.base = c.index;
  instr.reads(indices);
  instr.writes(strided(dst, cube::kFractal, c.repeat, c.dst_step));
  const Costs& costs = m.core().launch().clock().costs();
  instr.cycles = c.repeat * cube::kFractal / costs.l0b_bytes_per_cycle;
  instr.latency = costs.load_latency;
  instr.run([](Machine& machine, const cube::Sparse& p) { cube::load_sparse(machine, p); }, c);
  m.issue(instr);
}
}
