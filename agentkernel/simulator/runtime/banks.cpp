#include "banks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "machine.h"

namespace akrt {

namespace {

constexpr uint64_t kRow = 32;
constexpr uint64_t kGroups = 16;
constexpr uint64_t kRowsOfLayer = 64 * 1024 / kRow;
constexpr uint64_t kRepeat = 256;

// An operand as the repeats see it: contiguous ones are cut into equal parts.
struct Operand {
  uint64_t base;
  uint64_t piece;
  uint32_t blocks;
  int64_t block_stride;
  int64_t repeat_stride;
  bool operator==(const Operand&) const = default;
};

// What one repeat does to the bank groups.
struct Repeat {
  std::array<uint8_t, kGroups> rows{};    // rows touched in the group
  std::array<uint8_t, kGroups> layers{};  // a bit for each bank of the group that holds one of them
  std::array<std::array<uint8_t, 4>, kGroups> in_bank{};

  void add(const Operand& o, uint32_t repeat) {
    const uint64_t start = o.base + static_cast<uint64_t>(int64_t{repeat} * o.repeat_stride);
    const uint32_t blocks = o.block_stride == 0 ? 1 : o.blocks;  // one row, read once
    for (uint32_t b = 0; b < blocks; ++b) {
      const uint64_t from = start + static_cast<uint64_t>(int64_t{b} * o.block_stride);
      for (uint64_t r = from / kRow; r * kRow < from + o.piece; ++r) {
        const uint64_t layer = r / kRowsOfLayer % 4;
        ++rows[r % kGroups];
        ++in_bank[r % kGroups][layer];
        layers[r % kGroups] = static_cast<uint8_t>(layers[r % kGroups] | 1u << layer);
      }
    }
  }
};

uint64_t bytes_of(const Access& a) { return uint64_t{a.piece} * a.blocks * a.repeats; }

uint32_t repeats_of(const Instr& instr) {
  uint64_t most = 1;
  for (int i = 0; i < instr.accesses; ++i) {
    const Access& a = instr.access[static_cast<size_t>(i)];
    if (a.space == Space::UB) most = std::max({most, uint64_t{a.repeats}, (bytes_of(a) + kRepeat - 1) / kRepeat});
  }
  return static_cast<uint32_t>(most);
}

Operand operand(const Access& a, uint32_t repeats) {
  if (a.repeats > 1 || repeats == 1) return {a.base, a.piece, a.blocks, a.block_stride, a.repeat_stride};
  const uint64_t part = (bytes_of(a) + repeats - 1) / repeats;
  return {a.base, part, 1, static_cast<int64_t>(part), static_cast<int64_t>(part)};
}

// Repeats after which an operand touches the same groups again. Results that share rows barely move.
uint32_t period_of(const Operand& o) {
  const auto rows = static_cast<uint64_t>(o.repeat_stride < 0 ? -o.repeat_stride : o.repeat_stride) / kRow;
  return static_cast<uint32_t>(kGroups / std::gcd(rows, kGroups));
}

// A group serves one row a cycle; a write has to wait while its bank is read.
uint32_t cycles(const Repeat& reads, const Repeat& writes) {
  uint32_t most = 1;
  for (size_t g = 0; g < kGroups; ++g) {
    uint32_t behind = 0;
    for (size_t layer = 0; layer < 4; ++layer)
      if ((reads.layers[g] >> layer & 1u) != 0) behind += writes.in_bank[g][layer];
    most = std::max({most, uint32_t{reads.rows[g]} + behind, uint32_t{writes.rows[g]}});
  }
  return most;
}

}  // namespace

double bank_cycles(const Instr& instr) {
  std::array<Operand, Instr::kMaxAccesses> in{}, out{};
  size_t reads = 0, writes = 0;
  const uint32_t repeats = repeats_of(instr);
  uint32_t period = 1;
  for (int i = 0; i < instr.accesses; ++i) {
    const Access& a = instr.access[static_cast<size_t>(i)];
    // The part of an operand that only the last repeat touches is left out.
    if (a.space != Space::UB || (repeats > 1 && a.repeats == 1 && bytes_of(a) <= kRepeat)) continue;
    const Operand o = operand(a, repeats);
    period = std::max(period, period_of(o));
    if (a.write) {
      out[writes++] = o;
    } else if (std::find(in.begin(), in.begin() + reads, o) == in.begin() + reads) {
      in[reads++] = o;  // the same operand twice is read once
    }
  }
  if (reads + writes == 0) return 0;
  // The first repeat has no write beside it; the others recur.
  const uint32_t sampled = std::min(repeats, period + 1);
  Repeat before;
  double first = 0;
  double others = 0;
  for (uint32_t r = 0; r < sampled; ++r) {
    Repeat read, written;
    for (size_t i = 0; i < reads; ++i) read.add(in[i], r);
    for (size_t i = 0; i < writes; ++i) written.add(out[i], r);
    (r == 0 ? first : others) += cycles(read, before);
    before = written;
  }
  return sampled == 1 ? first : first + others / (sampled - 1) * (repeats - 1);
}

}  // namespace akrt
