// Walking over the bytes of an Access: bounds, and contiguous runs in order.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "machine.h"

namespace akrt {

struct Span {
  uint64_t begin;
  uint64_t end;
  bool empty() const { return begin >= end; }
};

// Fewest pieces that describe the same bytes: adjoining blocks and repeats become one piece.
Access merged(const Access& access);

// Smallest range that holds every byte of the access; empty when it touches none.
Span bounds(const Access& access);

// Whether `span`, the bounds of the access, leaves its tensor; false where the tensor has no known end.
inline bool leaves_tensor(const Access& a, const Span& span) {
  return a.end != 0 && (span.begin < a.begin || span.end > a.end);
}

namespace detail {

// Runs of enabled elements inside one piece that starts with element `first` of its repeat; runs end at multiples of 64
// elements.
template <typename F>
void lane_runs(const Access& a, uint64_t start, uint32_t first, F&& f) {
  const uint32_t lanes = a.piece / a.lane_bytes;
  for (uint32_t i = 0; i < lanes && first + i < 128;) {
    const uint32_t lane = first + i;
    const uint32_t n = std::min(lanes - i, 64 - lane % 64);
    const uint64_t all = n == 64 ? ~0ull : (1ull << n) - 1;
    const uint64_t at = start + uint64_t{i} * a.lane_bytes;
    uint64_t bits = (a.lanes[lane / 64] >> (lane % 64)) & all;
    if (bits == all) {
      f(at, at + uint64_t{n} * a.lane_bytes);
      bits = 0;
    }
    while (bits != 0) {
      const auto from = static_cast<uint32_t>(std::countr_zero(bits));
      const auto count = static_cast<uint32_t>(std::countr_one(bits >> from));
      f(at + uint64_t{from} * a.lane_bytes, at + uint64_t{from + count} * a.lane_bytes);
      bits &= ~(((1ull << count) - 1) << from);
    }
    i += n;
  }
}

}  // namespace detail

// Calls f(begin, end) for each contiguous run, piece by piece.
template <typename F>
void for_each_run(const Access& access, F&& f) {
  const Access a = access.lane_bytes != 0 ? access : merged(access);
  for (uint32_t r = 0; r < a.repeats; ++r) {
    for (uint32_t b = 0; b < a.blocks; ++b) {
      const uint64_t start = a.base + static_cast<uint64_t>(int64_t{r} * a.repeat_stride + int64_t{b} * a.block_stride);
      if (a.lane_bytes == 0) {
        if (a.piece != 0) f(start, start + a.piece);
      } else {
        detail::lane_runs(a, start, b * (a.piece / a.lane_bytes), f);
      }
    }
  }
}

}  // namespace akrt
