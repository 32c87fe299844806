// Mmad: L0C (+)= L0A x L0B.
//
// The chip's order of additions inside a product is not documented. Here each element starts from L0C, the bias or zero
// and takes one product after the other, in float (int32 for integers). Products of half and bfloat16 are exact in float.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core.h"
#include "ops_cube.h"
#include "ops_numeric.h"

namespace akrt::cube {

namespace {

constexpr uint32_t kWordsOfColumn = kSide;  // of a row of a fractal of L0C
constexpr uint32_t kOrderedFractals = 10;   // from here on the hardware lets an Mmad wait for the one before
#ifdef __AVX512F__
constexpr uint32_t kRows = 8;  // of a register block
#else
constexpr uint32_t kRows = 4;
#endif

struct Product {
  uint32_t c, a, b, bias;
  uint16_t m, n, k;
  uint16_t k_fractals;
  DType dtype;  // of A and B
  bool zero, from_table, vector;
  bool saturate;
  bool hf32, to_zero;
  bool sparse;
};

template <typename T>
using Vec __attribute__((vector_size(64))) = T;

// ---- operands -----------------------------------------------------------------------------------------------------
// Nearest value with 11 bits of fraction.
float hf32(float value, bool to_zero) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7f800000u) == 0x7f800000u) return value;
  constexpr uint32_t kDropped = 12, kHalf = 1u << (kDropped - 1), kMask = (1u << kDropped) - 1;
  const uint32_t even = to_zero ? 0 : bits >> kDropped & 1;
  return std::bit_cast<float>((bits + kHalf - 1 + even) & ~kMask);
}

// `n` elements of L0A or L0B as numbers to calculate with; `n` is even for 4-bit types.
template <typename T>
void widen(const uint8_t* in, T* out, uint32_t n, const Product& p) {
  if constexpr (std::is_same_v<T, float>) {
    const auto* words = reinterpret_cast<const uint16_t*>(in);
    switch (p.dtype) {
      case DType::kFloat16: ops::half_to_float(words, out, n); break;
      case DType::kBfloat16:
        for (uint32_t i = 0; i < n; ++i) out[i] = ops::bfloat16_value(words[i]);
        break;
      default:
        std::memcpy(out, in, size_t{n} * 4);
        if (p.hf32)
          for (uint32_t i = 0; i < n; ++i) out[i] = hf32(out[i], p.to_zero);
    }
  } else if (p.dtype == DType::kInt4) {
    for (uint32_t i = 0; i < n / 2; ++i) {
      out[2 * i] = static_cast<int8_t>(in[i] << 4) >> 4;
      out[2 * i + 1] = static_cast<int8_t>(in[i]) >> 4;
    }
  } else {
    for (uint32_t i = 0; i < n; ++i) out[i] = static_cast<int8_t>(in[i]);
  }
}

// A by rows of `pitch` numbers, B as columns of 16 numbers for every k. They are kept from call to call: the room, that is.
template <typename T>
struct Operands {
  std::vector<T> a, b;
  uint32_t pitch = 0;

  void read(Machine& m, const Product& p) {
    const uint32_t width = columns_of(p.dtype);
    const uint32_t elements = width * kSide;
    pitch = p.k_fractals * width;
    const uint32_t columns = ceil_div(p.n, kSide);
    a.resize(size_t{round_up(p.m, kSide)} * pitch);
    b.resize(size_t{columns} * pitch * kSide);
    std::vector<T>& fractal = scratch;
    fractal.resize(elements);
    const uint8_t* in = m.memory(Space::L0A) + p.a;
    if (p.vector) {
      widen(in, a.data(), p.dtype == DType::kInt4 ? round_up(p.k, 2) : p.k, p);
    } else {
      for (uint32_t i = 0; i < ceil_div(p.m, kSide); ++i) {
        for (uint32_t k = 0; k < p.k_fractals; ++k, in += kFractal) {
          widen(in, fractal.data(), elements, p);
          for (uint32_t r = 0; r < kSide; ++r)
            std::memcpy(&a[size_t{i * kSide + r} * pitch + k * width], &fractal[r * width], width * sizeof(T));
        }
      }
    }
    if (p.sparse) {
      read_sparse(m, p);
      return;
    }
    in = m.memory(Space::L0B) + p.b;
    for (uint32_t k = 0; k < p.k_fractals; ++k) {
      for (uint32_t j = 0; j < columns; ++j, in += kFractal) {
        widen(in, fractal.data(), elements, p);
        T* out = &b[(size_t{j} * pitch + k * width) * kSide];
        for (uint32_t i = 0; i < width; ++i)
          for (uint32_t r = 0; r < kSide; ++r) out[i * kSide + r] = fractal[r * width + i];
      }
    }
  }

  // Two of every four weights are there. The index of the first counts from the first of the four, that of the second
  // from the second.
  void read_sparse(Machine& m, const Product& p) {
    std::fill(b.begin(), b.end(), T{0});
    const uint32_t columns = ceil_div(p.n, kSide);
    uint32_t at = p.b;
    for (uint32_t k = 0; k < ceil_div(p.k_fractals, 2); ++k) {
      for (uint32_t j = 0; j < columns; ++j, at += kFractal) {
        const auto* weights = reinterpret_cast<const int8_t*>(m.memory(Space::L0B) + at);
        const auto& index = m.regs().sparse_index[at / kFractal];
        for (uint32_t r = 0; r < kSide; ++r) {
          for (uint32_t i = 0; i < 32; ++i) {
            const uint32_t bits = index[r * 8 + i / 4] >> (2 * (i % 4)) & 3;
            const uint32_t row = (k * 32 + i) / 2 * 4 + i % 2 + bits;
            if (row < pitch) b[(size_t{j} * pitch + row) * kSide + r] += weights[r * 32 + i];
          }
        }
      }
    }
  }

  std::vector<T> scratch;
};

// ---- products -----------------------------------------------------------------------------------------------------
// `Rows` rows of one column of fractals: 16 results a row.
template <typename T, uint32_t Rows>
void multiply(const T* a, uint32_t pitch, const T* b, uint32_t k, T* c) {
  Vec<T> sum[Rows];
  for (uint32_t r = 0; r < Rows; ++r) std::memcpy(&sum[r], c + size_t{r} * kWordsOfColumn, sizeof(Vec<T>));
  for (uint32_t i = 0; i < k; ++i) {
    Vec<T> column;
    std::memcpy(&column, b + size_t{i} * kSide, sizeof(column));
    for (uint32_t r = 0; r < Rows; ++r) sum[r] += a[size_t{r} * pitch + i] * column;
  }
  for (uint32_t r = 0; r < Rows; ++r) std::memcpy(c + size_t{r} * kWordsOfColumn, &sum[r], sizeof(Vec<T>));
}

template <typename T>
void multiply_column(const T* a, uint32_t pitch, const T* b, uint32_t rows, uint32_t k, T* c) {
  uint32_t i = 0;
  for (; i + kRows <= rows; i += kRows) multiply<T, kRows>(a + size_t{i} * pitch, pitch, b, k, c + size_t{i} * kWordsOfColumn);
  for (; i < rows; ++i) multiply<T, 1>(a + size_t{i} * pitch, pitch, b, k, c + size_t{i} * kWordsOfColumn);
}

void add_saturating(int32_t* c, const int32_t* sum, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i)
    c[i] = static_cast<int32_t>(std::clamp<int64_t>(int64_t{c[i]} + sum[i], std::numeric_limits<int32_t>::min(),
                                                    std::numeric_limits<int32_t>::max()));
}

void keep_finite(float* c, uint32_t n) {
  constexpr float kMost = std::numeric_limits<float>::max();
  for (uint32_t i = 0; i < n; ++i) c[i] = c[i] != c[i] ? 0.0f : std::clamp(c[i], -kMost, kMost);
}

template <typename T>
void mmad(Machine& m, const Product& p) {
  static Operands<T> operands;  // the runner is one thread; only their room is used again
  operands.read(m, p);
  const uint32_t height = round_up(p.m, kSide);
  std::vector<T> sums;
  for (uint32_t j = 0; j < ceil_div(p.n, kSide); ++j) {
    T* c = reinterpret_cast<T*>(m.memory(Space::L0C) + p.c) + size_t{j} * height * kWordsOfColumn;
    const uint32_t words = p.m * kWordsOfColumn;
    if (p.zero) {
      std::memset(c, 0, words * sizeof(T));
    } else if (p.from_table) {
      const uint8_t* bias = m.memory(Space::BT) + p.bias + size_t{j} * kSide * sizeof(T);
      for (uint32_t i = 0; i < p.m; ++i)
        std::memcpy(c + size_t{i} * kWordsOfColumn, bias, std::min<uint32_t>(kSide, p.n - j * kSide) * sizeof(T));
    }
    const T* b = &operands.b[size_t{j} * operands.pitch * kSide];
    if constexpr (std::is_same_v<T, int32_t>) {
      sums.assign(words, 0);
      multiply_column(operands.a.data(), operands.pitch, b, p.m, p.k, sums.data());
      add_saturating(c, sums.data(), words);
    } else {
      multiply_column(operands.a.data(), operands.pitch, b, p.m, p.k, c);
      if (p.saturate) keep_finite(c, words);
    }
  }
}

// ---- what it touches ----------------------------------------------------------------------------------------------
struct Result {
  const Local& c;
  uint32_t m, n, height;

  uint32_t column() const { return height * kWordsOfColumn * 4; }  // bytes from one column of fractals to the next
  // The rows and columns that have values.
  void declare(Instr& instr, bool write) const {
    const auto add = [&](Access a) { write ? instr.writes(a) : instr.reads(a); };
    if (n >= kSide) add(strided(c, m * kWordsOfColumn * 4, n / kSide, column()));
    if (n % kSide == 0) return;
    Access last = strided(c, n % kSide * 4, m, kWordsOfColumn * 4);
    last.base += uint64_t{n / kSide} * column();
    add(last);
  }
  // The rest of the fractals: storage that nobody may count on.
  void declare_rest(Instr& instr) const {
    const uint32_t columns = ceil_div(n, kSide);
    if (m != height) {
      Access rows = strided(c, (height - m) * kWordsOfColumn * 4, columns, column());
      rows.base += m * kWordsOfColumn * 4, rows.undefined = true;
      instr.writes(rows);
    }
    if (n % kSide != 0) {
      Access last = strided(c, (kSide - n % kSide) * 4, m, kWordsOfColumn * 4);
      last.base += uint64_t{n / kSide} * column() + n % kSide * 4, last.align = 4, last.undefined = true;
      instr.writes(last);
    }
  }
};

double macs_per_cycle(const Costs& costs, DType dtype, bool hf32_on) {
  switch (dtype) {
    case DType::kInt4: return costs.macs_per_cycle_half * 4;
    case DType::kInt8: return costs.macs_per_cycle_half * 2;
    case DType::kFloat32: return costs.macs_per_cycle_half / (hf32_on ? 2 : 4);
    default: return costs.macs_per_cycle_half;
  }
}

}  // namespace

}  // namespace akrt::cube

using namespace akrt;

extern "C" void akrt_c_mmad(const char* api, const Local& dst, const Local& a, const Local& b, const Local* bias,
                            const MmadCall& call, Site site) {
  Machine& m = Machine::current();
  if (!cube::runs(m, api, site)) return;
  if (!cube::require_space(api, site, dst, {Space::L0C}, "The result of Mmad is a tensor of CO1.") ||
      !cube::require_space(api, site, a, {Space::L0A}, "The left operand of Mmad is a tensor of A2.") ||
      !cube::require_space(api, site, b, {Space::L0B}, "The right operand of Mmad is a tensor of B2."))
    return;
  if (!cube::in_range(api, site, "m", call.m, 0, 4095) || !cube::in_range(api, site, "n", call.n, 0, 4095) ||
      !cube::in_range(api, site, "k", call.k, 0, 4095))
    return;
  if (call.unit_flag != 0 && !cube::in_range(api, site, "unitFlag", call.unit_flag, 2, 3)) return;
  if (call.m == 0 || call.n == 0 || call.k == 0) return;
  bool from_table = !call.zero && call.from_table;
  if (bias != nullptr && space_of(bias->position) == Space::BT) {
    from_table = !call.zero;
  } else if (bias != nullptr) {
    if (!cube::require_space(api, site, *bias, {Space::L0C}, "The bias of Mmad is a tensor of C2, or the result itself (CO1).")) return;
    from_table = false;
    if (bias->addr != dst.addr) {
      ops::complain("illegal-argument", api, site, std::string(api) + " with a bias in L0C that is not the result.",
                    "Give the bias in the bias table (C2).");
      return;
    }
  }
  const Registers& regs = m.regs();
  const uint32_t width = cube::columns_of(a.dtype);
  cube::Product p{};
  p.c = dst.addr, p.a = a.addr, p.b = b.addr, p.bias = bias != nullptr ? bias->addr : 0;
  p.m = call.m, p.n = call.n, p.k = call.k;
  uint32_t k_fractals = cube::ceil_div(call.k, width);
  if (a.dtype == DType::kFloat32 && call.k_align) k_fractals = cube::round_up(k_fractals, 2);
  p.k_fractals = static_cast<uint16_t>(k_fractals);
  p.dtype = a.dtype;
  p.zero = call.zero, p.from_table = from_table, p.vector = call.m == 1 && !call.sparse;
  p.sparse = call.sparse;
  p.saturate = regs.saturate;
  p.hf32 = a.dtype == DType::kFloat32 && regs.cube[kAkrtHf32] != 0, p.to_zero = regs.cube[kAkrtHf32ToZero] != 0;

  const uint32_t rows = cube::ceil_div(call.m, cube::kSide), columns = cube::ceil_div(call.n, cube::kSide);
  const cube::Result result{dst, call.m, call.n, rows * cube::kSide};
  Instr instr(Pipe::M, api, site);
  instr.reads(contiguous(a, p.vector ? (uint64_t{call.k} * ops::bits_of(a.dtype) + 7) / 8 : uint64_t{rows} * k_fractals * cube::kFractal));
  instr.reads(contiguous(b, uint64_t{columns} * (call.sparse ? cube::ceil_div(k_fractals, 2) : k_fractals) * cube::kFractal));
  if (from_table) {
    const Local table = bias != nullptr ? *bias : Local{0, m.capacity(Space::BT), static_cast<uint8_t>(Position::C2), dst.dtype};
    instr.reads(contiguous(table, uint64_t{call.n} * 4));
  } else if (!call.zero) {
    result.declare(instr, false);
  }
  result.declare(instr, true);
  result.declare_rest(instr);
  instr.in_order = call.m / cube::kSide * (call.n / cube::kSide) >= cube::kOrderedFractals;
  if (call.unit_flag != 0) instr.unit = {true, call.unit_flag == 3, false, dst.addr, result.column(), columns, result.column()};
  const Costs& costs = m.core().launch().clock().costs();
  const double macs = double{256} * rows * columns * k_fractals * width / (call.sparse ? 2 : 1);
  instr.cycles = costs.mmad_issue + macs / cube::macs_per_cycle(costs, a.dtype, p.hf32);
  const bool integer = a.dtype == DType::kInt8 || a.dtype == DType::kInt4;
  if (integer) instr.run([](Machine& machine, const cube::Product& c) { cube::mmad<int32_t>(machine, c); }, p);
  else instr.run([](Machine& machine, const cube::Product& c) { cube::mmad<float>(machine, c); }, p);
  m.issue(instr);
}
