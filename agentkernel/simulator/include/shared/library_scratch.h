// Least scratch (sharedTmpBuffer) of the vector libraries, in bytes: what the runtime insists on and what the host's
// Get...MaxMinTmpSize functions answer. Where no minimum is published, it is the rows of floats that the formula keeps.
#pragma once
#include <cstdint>

namespace akshared {

constexpr uint32_t kBlockBytes = 32;
constexpr uint32_t whole_blocks(uint64_t bytes) {
  return static_cast<uint32_t>((bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes);
}

// `rows` rows of `columns` floats.
constexpr uint32_t float_rows(uint32_t rows, uint32_t columns) { return whole_blocks(uint64_t{4} * rows * columns); }

// Normalisations of rows: the centred row and its square; half besides the widened row.
constexpr uint32_t norm_row_scratch(uint32_t columns, uint32_t type_size) {
  return float_rows(type_size == 2 ? 3 : 2, columns);
}
constexpr uint32_t norm_grad_scratch(uint32_t columns, uint32_t type_size) {
  return float_rows(type_size == 2 ? 6 : 4, columns);
}
// Sums of the two gradients; half is widened first.
constexpr uint32_t norm_grad_beta_scratch(uint32_t columns, uint32_t type_size) {
  return type_size == 2 ? float_rows(2, columns) : kBlockBytes;
}
// BatchNorm keeps one row of S * H.
constexpr uint32_t batch_norm_scratch(uint32_t columns, uint32_t type_size) {
  return float_rows(type_size == 2 ? 2 : 1, columns);
}
constexpr uint32_t welford_update_scratch(uint32_t compute, uint32_t type_size) {
  return float_rows(type_size == 2 ? 2 : 1, compute);
}
constexpr uint32_t welford_finalize_scratch(uint32_t length) { return float_rows(1, length); }
// TopK sorts pairs of 8 bytes from one buffer into another; generated indices besides.
constexpr uint32_t topk_scratch(uint32_t inner, bool given_index) {
  return whole_blocks(uint64_t{inner} * (8 + 8 + (given_index ? 0 : 4)));
}
// A block of the widest row.
constexpr uint32_t pad_scratch(uint32_t width, uint32_t type_size) { return whole_blocks(uint64_t{width} * type_size); }
// 16 blocks that TransDataTo5HD turns around.
constexpr uint32_t transpose_scratch() { return 2 * 16 * kBlockBytes; }

}  // namespace akshared
