// TransData and the layout scenes of Transpose (ConfusionTranspose): every element goes to another place.
#include <cstring>
#include <vector>

#include "akrt/abi_layout.h"
#include "lib.h"
#include "shared/library_scratch.h"

namespace akrt::lib {

namespace {

constexpr uint32_t kSide = 16;  // of the squares that layouts are made of

constexpr uint32_t groups_of(uint32_t n) { return (n + kSide - 1) / kSide; }

struct Volume {
  uint32_t dst, src, n, c, d, plane, plane_stride;  // elements of H * W, and what they take in memory
  bool to_blocks, fractal;
};

// Elements of 16 bits. Channels (and samples) that fill up a group are zeros.
void run_volume(Machine& m, const Volume& v) {
  uint8_t* ub = m.memory(Space::UB);
  const uint32_t channels = groups_of(v.c), samples = groups_of(v.n);
  const auto plain = [&](uint32_t n, uint32_t c, uint32_t d, uint32_t p) {
    return ((n * v.c + c) * v.d + d) * v.plane_stride + p;
  };
  const auto grouped = [&](uint32_t n, uint32_t c, uint32_t d, uint32_t p) {
    if (!v.fractal) return ((((n * v.d + d) * channels + c / kSide) * v.plane + p) * kSide) + c % kSide;
    return ((((d * channels + c / kSide) * v.plane + p) * samples + n / kSide) * kSide + n % kSide) * kSide + c % kSide;
  };
  const auto* from = reinterpret_cast<const uint16_t*>(ub + v.src);
  auto* to = reinterpret_cast<uint16_t*>(ub + v.dst);
  const uint32_t all_n = v.fractal ? samples * kSide : v.n, all_c = channels * kSide;
  for (uint32_t n = 0; n < all_n; ++n)
    for (uint32_t c = 0; c < all_c; ++c)
      for (uint32_t d = 0; d < v.d; ++d)
        for (uint32_t p = 0; p < v.plane; ++p) {
          const bool there = n < v.n && c < v.c;
          if (v.to_blocks) to[grouped(n, c, d, p)] = there ? from[plain(n, c, d, p)] : uint16_t{0};
          else if (there) to[plain(n, c, d, p)] = from[grouped(n, c, d, p)];
        }
}

// Where element (b, n, s, h) of [B, N, S, H / N] lies in each of the layouts.
struct Heads {
  uint32_t b, n, s, h;
  uint32_t nz(uint32_t matrix, uint32_t rows, uint32_t columns, uint32_t row, uint32_t column) const {
    const uint32_t high = groups_of(rows) * kSide, wide = groups_of(columns);
    return matrix * wide * high * kSide + column / kSide * high * kSide + row * kSide + column % kSide;
  }
  uint32_t split_nz(uint32_t i, uint32_t j, uint32_t k, uint32_t l) const { return nz(i * n + j, s, h, k, l); }
  uint32_t merged_nz(uint32_t i, uint32_t j, uint32_t k, uint32_t l) const { return nz(i, s, n * h, k, j * h + l); }
  uint32_t swapped_nz(uint32_t i, uint32_t j, uint32_t k, uint32_t l) const { return nz(i * s + k, n, h, j, l); }
  uint32_t split_nd(uint32_t i, uint32_t j, uint32_t k, uint32_t l) const { return ((i * n + j) * s + k) * h + l; }
  uint32_t swapped_nd(uint32_t i, uint32_t j, uint32_t k, uint32_t l) const { return ((i * s + k) * n + j) * h + l; }
};

using Place = uint32_t (Heads::*)(uint32_t, uint32_t, uint32_t, uint32_t) const;
struct Scene {
  Place from, to;
  bool swapped_matrices;  // the results are matrices in NZ with N as rows
};

// TransposeType 1 to 6. [B, S, N, H / N] in rows is [B, S, H] too, so the scenes that merge end like the swapped ones.
constexpr Scene kScenes[] = {
    {&Heads::split_nz, &Heads::swapped_nd, false},  // NZ2ND_0213
    {&Heads::split_nz, &Heads::swapped_nz, true},   // NZ2NZ_0213
    {&Heads::merged_nz, &Heads::split_nz, false},   // NZ2NZ_012_WITH_N
    {&Heads::merged_nz, &Heads::split_nd, false},   // NZ2ND_012_WITH_N
    {&Heads::split_nz, &Heads::swapped_nd, false},  // NZ2ND_012_WITHOUT_N
    {&Heads::split_nz, &Heads::merged_nz, false},   // NZ2NZ_012_WITHOUT_N
};
constexpr uint8_t kOnly = 7;  // ND2ND: rows and columns change places

struct Turn {
  uint32_t dst, src, size;
  uint8_t type;
  uint32_t shape[4];
};

void run_turn(Machine& m, const Turn& t) {
  uint8_t* ub = m.memory(Space::UB);
  const auto move = [&](uint32_t to, uint32_t from) {
    std::memcpy(ub + t.dst + to * t.size, ub + t.src + from * t.size, t.size);
  };
  if (t.type == kOnly) {
    for (uint32_t i = 0; i < t.shape[0]; ++i)
      for (uint32_t j = 0; j < t.shape[1]; ++j) move(j * t.shape[0] + i, i * t.shape[1] + j);
    return;
  }
  const Scene& scene = kScenes[t.type - 1];
  const Heads heads{t.shape[0], t.shape[1], t.shape[2], t.shape[3]};
  for (uint32_t i = 0; i < heads.b; ++i)
    for (uint32_t j = 0; j < heads.n; ++j)
      for (uint32_t k = 0; k < heads.s; ++k)
        for (uint32_t l = 0; l < heads.h; ++l) move((heads.*scene.to)(i, j, k, l), (heads.*scene.from)(i, j, k, l));
}

// 16 blocks of 32 bytes take 16 cycles on their way through TransDataTo5HD.
double turning_cycles(uint64_t bytes) { return static_cast<double>(bytes) / ops::kBlock; }

}  // namespace

}  // namespace akrt::lib

using namespace akrt;

extern "C" {

void akrt_l_trans_data(const VolumeCall& c, const Local& dst, const Local& src) {
  Machine& m = Machine::current();
  for (const Local* t : {&dst, &src}) ops::require_allocated(c.api, c.site, *t);
  if (!lib::require(c.n != 0 && c.c != 0 && c.d != 0 && c.h != 0 && c.w != 0, "illegal-argument", c.api, c.site,
                    " of an empty tensor.", "The layout on the NCDHW side has the shape (N, C, D, H, W)."))
    return;
  const uint32_t plane = c.h * c.w, stride = lib::round_up(plane, lib::kSide);
  const uint64_t plain = uint64_t{c.n} * c.c * c.d * stride * 2;
  const uint64_t grouped = uint64_t{c.fractal ? lib::groups_of(c.n) * lib::kSide : c.n} * c.d * lib::groups_of(c.c) * plane *
                           lib::kSide * 2;
  const uint64_t src_bytes = c.to_blocks ? plain : grouped, dst_bytes = c.to_blocks ? grouped : plain;
  if (!lib::within(c.api, c.site, src, src_bytes) || !lib::within(c.api, c.site, dst, dst_bytes)) return;
  lib::require_apart(c.api, c.site, dst, src, dst_bytes, src_bytes);
  Instr instr(Pipe::V, c.api, c.site);
  if (c.to_blocks) {
    instr.reads(strided(src, plane * 2, c.n * c.c * c.d, int64_t{stride} * 2));
    instr.writes(contiguous(dst, dst_bytes));
  } else {
    instr.reads(contiguous(src, src_bytes).unchecked());  // channels that fill up a group
    instr.writes(strided(dst, plane * 2, c.n * c.c * c.d, int64_t{stride} * 2));
  }
  lib::take_scratch(m, instr, {c.api, c.site, c.tmp, akshared::transpose_scratch(), akshared::transpose_scratch()}, {&dst, &src});
  instr.cycles = lib::turning_cycles(grouped) * (c.fractal ? 2 : 1);
  instr.run([](Machine& machine, const lib::Volume& v) { lib::run_volume(machine, v); },
            lib::Volume{dst.addr, src.addr, c.n, c.c, c.d, plane, stride, c.to_blocks, c.fractal});
  m.issue(instr);
}

void akrt_l_confusion(const ConfusionCall& c, const Local& dst, const Local& src) {
  Machine& m = Machine::current();
  for (const Local* t : {&dst, &src}) ops::require_allocated(c.api, c.site, *t);
  if (!lib::require(c.type >= 1 && c.type <= lib::kOnly && c.tiled == c.type, "illegal-argument", c.api, c.site,
                    " of type " + std::to_string(c.type) + " with a tiling for type " + std::to_string(c.tiled) + ".",
                    "Types are TRANSPOSE_NZ2ND_0213 (1) to TRANSPOSE_ND2ND_ONLY (7); fill the tiling for the same type."))
    return;
  const bool only = c.type == lib::kOnly;
  if (!lib::require(c.shape[0] != 0 && c.shape[1] != 0 && (only || (c.shape[2] != 0 && c.shape[3] != 0)), "illegal-argument",
                    c.api, c.site, " of an empty tensor.", "The shape is [B, N, S, H / N], or [H, W] for TRANSPOSE_ND2ND_ONLY."))
    return;
  const uint32_t size = dtype_bytes(src.dtype);
  uint64_t bytes = uint64_t{c.shape[0]} * c.shape[1] * size;
  bool squares = only ? c.shape[0] % lib::kSide == 0 && c.shape[1] % lib::kSide == 0 : true;
  if (!only) {
    bytes *= uint64_t{c.shape[2]} * c.shape[3];
    const lib::Scene& scene = lib::kScenes[c.type - 1];
    squares = c.shape[2] % lib::kSide == 0 && c.shape[3] % lib::kSide == 0 &&
              !(scene.swapped_matrices && c.shape[1] % lib::kSide != 0);
  }
  if (!lib::require(squares, "count-alignment", c.api, c.site, " on sides that are no multiples of 16.",
                    "Sides of matrices in NZ, and of the plain transposition, are multiples of 16."))
    return;
  if (!lib::within(c.api, c.site, src, bytes) || !lib::within(c.api, c.site, dst, bytes)) return;
  lib::require_apart(c.api, c.site, dst, src, bytes, bytes);
  Instr instr(Pipe::V, c.api, c.site);
  instr.reads(contiguous(src, bytes));
  instr.writes(contiguous(dst, bytes));
  lib::take_scratch(m, instr, {c.api, c.site, c.tmp, akshared::transpose_scratch(), akshared::transpose_scratch()}, {&dst, &src});
  instr.cycles = lib::turning_cycles(bytes) * (only ? 1 : 2);  // scenes with heads turn twice
  instr.run([](Machine& machine, const lib::Turn& t) { lib::run_turn(machine, t); },
            lib::Turn{dst.addr, src.addr, size, c.type, {c.shape[0], c.shape[1], c.shape[2], c.shape[3]}});
  m.issue(instr);
}
}
