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
// Documented: floats that SoftMax, its gradient and its flash forms keep of a row of k elements. Where a type of 2 bytes is
// widened, the row itself is among them.
constexpr uint32_t kSoftmaxRepeat = 64;
constexpr uint32_t kLongSoftmaxRow = 1024;  // takes two repeats in basic blocks
constexpr uint32_t in_block(uint32_t type_size) { return type_size == 0 ? 0 : kBlockBytes / type_size; }
constexpr uint32_t softmax_floats(uint32_t k, uint32_t type_size) { return in_block(type_size) + k + kSoftmaxRepeat; }
constexpr uint32_t softmax_grad_floats(uint32_t k, uint32_t type_size, bool front) {
  return type_size == 2 ? 2 * in_block(2) + 3 * k + kSoftmaxRepeat
                        : (front ? 1 : 2) * in_block(type_size) + k + kSoftmaxRepeat;
}
constexpr uint32_t softmax_flash_floats(uint32_t k, uint32_t type_size, bool update) {
  return update ? 4 * in_block(type_size) + 2 * k : softmax_floats(k, type_size);
}
// The type of the source, and that of maxima and sums.
constexpr uint32_t softmax_flash_v2_floats(uint32_t k, uint32_t type_size, uint32_t wide_size, bool basic) {
  const uint32_t block = in_block(wide_size);
  if (!basic) return type_size == 2 ? 2 * block + k + kSoftmaxRepeat : block + kSoftmaxRepeat;
  return (type_size == 2 ? block + k : block) + (k == kLongSoftmaxRow ? 2 : 1) * kSoftmaxRepeat;
}
// The least of the basic form is documented with 8 bytes for each of its floats.
constexpr uint32_t softmax_flash_v2_scratch(uint32_t k, uint32_t type_size, uint32_t wide_size, bool basic) {
  return (basic ? 8 : 4) * softmax_flash_v2_floats(k, type_size, wide_size, basic);
}
// Documented for Mean: one value a repeat, and with half accumulated in float the widened row besides.
constexpr uint32_t mean_scratch(uint32_t n, uint32_t type_size, uint32_t sum_size) {
  const auto values = [n](uint32_t lanes) { return whole_blocks((uint64_t{n} + lanes - 1) / lanes); };
  if (type_size == 2 && sum_size == 4) return values(64) + 4 * (whole_blocks(uint64_t{2} * n) / 2);
  return type_size == 0 ? 0 : values(256 / type_size);
}
// TopK sorts pairs of 8 bytes from one buffer into another; generated indices besides.
constexpr uint32_t topk_scratch(uint32_t inner, bool given_index) {
  return whole_blocks(uint64_t{inner} * (8 + 8 + (given_index ? 0 : 4)));
}
// A block of the widest row.
constexpr uint32_t pad_scratch(uint32_t width, uint32_t type_size) { return whole_blocks(uint64_t{width} * type_size); }
// 16 blocks that TransDataTo5HD turns around.
constexpr uint32_t transpose_scratch() { return 2 * 16 * kBlockBytes; }

}  // namespace akshared
