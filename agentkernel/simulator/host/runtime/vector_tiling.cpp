// Scratch sizes of vector library functions, of Ascend 910B.
#include "tiling/vector_tiling.h"

#include <algorithm>

namespace AscendC {

namespace {

constexpr uint32_t kBlockBytes = 32;
constexpr uint32_t kRepeatBytes = 256;
constexpr uint32_t kRepeatFloats = 64;

uint32_t up(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }
uint32_t quotient_up(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit; }

}  // namespace

void GetSigmoidMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_bytes, const bool, uint32_t& most,
                             uint32_t& least) {
  const auto bytes = static_cast<uint32_t>(shape.GetShapeSize()) * type_bytes;
  most = std::max(kRepeatBytes, bytes);
  least = kRepeatBytes;
}

void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t source_bytes, const uint32_t sum_bytes, const bool,
                          uint32_t& most, uint32_t& least) {
  if (source_bytes == 2 && sum_bytes == 4) {
    const uint32_t widened = 4 * (up(2 * n, kBlockBytes) / 2);  // half as float
    most = up(quotient_up(n, kRepeatFloats), kBlockBytes) + widened;
  } else {
    most = source_bytes == 0 ? 0 : up(quotient_up(n, kRepeatBytes / source_bytes), kBlockBytes);
  }
  least = most;
}

}  // namespace AscendC
