#include "access.h"

namespace akrt {

namespace {

// Where an operand may start, unless its instruction says otherwise.
constexpr uint16_t alignment_of(Space space) {
  switch (space) {
    case Space::L0A:
    case Space::L0B: return 512;
    case Space::L0C:
    case Space::BT:
    case Space::FB: return 64;
    default: return 32;
  }
}

}  // namespace

Access contiguous(const Local& tensor, uint64_t bytes) {
  return strided(tensor, static_cast<uint32_t>(bytes), 1, 0);
}

Access contiguous(const Global& tensor, uint64_t bytes) {
  return strided(tensor, static_cast<uint32_t>(bytes), 1, 0);
}

Access strided(const Local& tensor, uint32_t piece, uint32_t blocks, int64_t block_stride, uint32_t repeats,
               int64_t repeat_stride) {
  Access a;
  a.space = space_of(tensor.position);
  a.position = tensor.position;
  a.align = alignment_of(a.space);
  a.base = tensor.addr;
  a.begin = tensor.addr;
  a.end = uint64_t{tensor.addr} + tensor.bytes;
  a.piece = piece, a.blocks = blocks, a.repeats = repeats;
  a.block_stride = block_stride, a.repeat_stride = repeat_stride;
  return a;
}

Access strided(const Global& tensor, uint32_t piece, uint32_t blocks, int64_t block_stride, uint32_t repeats,
               int64_t repeat_stride) {
  Access a;
  a.space = Space::GM;
  a.align = 1;
  a.base = tensor.addr;
  a.begin = tensor.addr;
  a.end = tensor.bytes == 0 ? 0 : tensor.addr + tensor.bytes;
  a.piece = piece, a.blocks = blocks, a.repeats = repeats;
  a.block_stride = block_stride, a.repeat_stride = repeat_stride;
  return a;
}

Access merged(const Access& access) {
  Access a = access;
  if (uint64_t{a.piece} * a.blocks * a.repeats > INT32_MAX) return a;  // a merged piece has to fit its 32 bits
  if (a.blocks > 1 && a.block_stride == int64_t{a.piece}) {
    a.piece *= a.blocks;
    a.blocks = 1;
  } else if (a.blocks > 1 && a.repeats > 1 && a.repeat_stride == a.block_stride * int64_t{a.blocks}) {
    a.blocks *= a.repeats;
    a.repeats = 1;
  }
  if (a.blocks == 1 && a.repeats > 1 && a.repeat_stride == int64_t{a.piece}) {
    a.piece *= a.repeats;
    a.repeats = 1;
  }
  return a;
}

Span bounds(const Access& access) {
  if (access.piece == 0 || access.blocks == 0 || access.repeats == 0) return {access.base, access.base};
  const int64_t last_repeat = int64_t{access.repeats - 1} * access.repeat_stride;
  int64_t low = INT64_MAX;
  int64_t high = INT64_MIN;
  if (access.lane_bytes == 0) {
    const int64_t last_block = int64_t{access.blocks - 1} * access.block_stride;
    low = std::min<int64_t>(0, last_block);
    high = std::max<int64_t>(0, last_block) + access.piece;
  } else {
    Access one = access;
    one.repeats = 1;
    one.base = 1ull << 40;  // so that a negative block stride stays representable
    for_each_run(one, [&](uint64_t b, uint64_t e) {
      low = std::min(low, static_cast<int64_t>(b - one.base));
      high = std::max(high, static_cast<int64_t>(e - one.base));
    });
    if (low > high) return {access.base, access.base};
  }
  return {access.base + static_cast<uint64_t>(low + std::min<int64_t>(0, last_repeat)),
          access.base + static_cast<uint64_t>(high + std::max<int64_t>(0, last_repeat))};
}

}  // namespace akrt
