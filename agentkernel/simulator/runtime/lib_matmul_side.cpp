// Operands of a product on their way: global memory, L1, L0A and L0B.
#include <algorithm>

#include "lib_matmul.h"
#include "ops_cube.h"

namespace akrt {

namespace {

using cube::ceil_div;
using cube::kFractal;
using cube::kSide;
using cube::round_up;

constexpr uint8_t kNz = 1;  // CubeFormat
constexpr uint32_t kMostStride = 65535;  // of a row, in elements

}  // namespace

MatmulSide::MatmulSide(const MatmulOperand& operand, Extent stored, bool left, const char* api, Site site)
    : operand_(operand), stored_(stored), left_(left), by_depth_(left == operand.transposed), size_(dtype_bytes(operand.dtype)),
      c0_(cube::columns_of(operand.dtype)), unit_(by_depth_ ? std::max(c0_, kSide) : c0_), api_(api), site_(site) {}

uint32_t MatmulSide::l1_bytes(uint32_t wide, uint32_t deep) const {
  if (!by_depth_) return round_up(wide, kSide) * round_up(deep, c0_) * size_;
  return round_up(deep, unit_) * round_up(wide, std::max(c0_, kSide)) * size_;
}

uint32_t MatmulSide::l0_wide(uint32_t wide) const {
  return by_depth_ && size_ == 1 ? round_up(wide, c0_) : round_up(wide, kSide);
}

uint32_t MatmulSide::l0_bytes(uint32_t wide, uint32_t deep) const {
  return l0_wide(wide) * round_up(deep, by_depth_ ? unit_ : c0_) * size_;
}

void MatmulSide::load_rows(const Local& dst, uint32_t row0, uint32_t rows, uint32_t column0, uint32_t columns,
                           uint32_t pitch) const {
  if (operand_.format == kNz) {
    const uint64_t height = round_up(static_cast<uint32_t>(stored_.rows), kSide);
    Burst burst;
    burst.count = ceil_div(columns, c0_), burst.bytes = rows * ops::kBlock;
    burst.global_gap = static_cast<int64_t>((height - rows) * ops::kBlock);
    burst.local_gap = int64_t{pitch} - rows;
    akrt_c_load(api_, dst, cube::from(operand_.at, (column0 / c0_ * height + row0) * ops::kBlock), burst, site_);
    return;
  }
  const auto width = static_cast<uint32_t>(stored_.columns);
  const auto source = [&](uint32_t row) { return cube::from(operand_.at, (uint64_t{row} * width + column0) * size_); };
  NzCall call;
  call.matrices = 1, call.rows = rows, call.columns = columns, call.nd_row = width, call.nz_column = pitch;
  if (width <= kMostStride) {
    akrt_c_load_nz(api_, dst, source(row0), call, site_);
    return;
  }
  call.rows = 1;
  for (uint32_t r = 0; r < rows; ++r) akrt_c_load_nz(api_, cube::from(dst, uint64_t{r} * ops::kBlock), source(row0 + r), call, site_);
}

Tile MatmulSide::load(const Local& room, uint32_t wide0, uint32_t wide, uint32_t deep0, uint32_t deep) const {
  Tile tile{room, 0};
  tile.at.dtype = operand_.dtype;
  if (!by_depth_) {
    tile.pitch = round_up(wide, kSide);
    load_rows(tile.at, wide0, wide, deep0, deep, tile.pitch);
    return tile;
  }
  if (!pairs()) {
    tile.pitch = round_up(deep, unit_);
    load_rows(tile.at, deep0, deep, wide0, wide, tile.pitch);
    return tile;
  }
  // Squares of 32-bit numbers are two fractals beside each other: 16 rows make a matrix of their own.
  tile.pitch = kSide;
  const uint32_t group = kSide * round_up(wide, kSide) * size_;
  for (uint32_t g = 0; g < ceil_div(deep, kSide); ++g)
    load_rows(cube::from(tile.at, uint64_t{g} * group), deep0 + g * kSide, std::min(kSide, deep - g * kSide), wide0, wide, kSide);
  return tile;
}

void MatmulSide::squares_left(const Local& l0, const Tile& tile, uint32_t wide, uint32_t skip, uint32_t deep) const {
  const uint32_t along = ceil_div(deep, unit_);  // squares along k
  FractalLoad call;
  call.repeat = static_cast<uint8_t>(along);
  if (size_ == 4) {
    const uint32_t across = ceil_div(wide, kSide);
    call.src_stride = static_cast<uint16_t>(across), call.dst_gap = 1;
    for (uint32_t i = 0; i < across; ++i)
      akrt_c_load_squares(api_, cube::from(l0, uint64_t{i} * 2 * along * kFractal),
                          cube::from(tile.at, uint64_t{skip / kSide * across + i} * 2 * kFractal), call, site_);
    return;
  }
  // 8 bits: the two fractals of a turned square belong to neighbouring rows of fractals.
  call.src_stride = 1, call.inner_gap = static_cast<uint16_t>(along - 1);
  for (uint32_t i = 0; i < ceil_div(wide, c0_); ++i)
    akrt_c_load_squares(api_, cube::from(l0, uint64_t{i} * 2 * along * kFractal),
                        cube::from(tile.at, (uint64_t{i} * tile.pitch + skip) * ops::kBlock), call, site_);
}

void MatmulSide::squares_right(const Local& l0, const Tile& tile, uint32_t wide, uint32_t skip, uint32_t deep) const {
  const uint32_t across = ceil_div(wide, c0_);
  FractalLoad call;
  call.repeat = static_cast<uint8_t>(across), call.src_stride = static_cast<uint16_t>(tile.pitch / c0_);
  call.dst_gap = static_cast<uint16_t>(c0_ / kSide - 1);
  for (uint32_t i = 0; i < ceil_div(deep, c0_); ++i)
    akrt_c_load_squares(api_, cube::from(l0, uint64_t{i} * 2 * across * kFractal),
                        cube::from(tile.at, uint64_t{skip + i * c0_} * ops::kBlock), call, site_);
}

void MatmulSide::feed(const Local& l0, const Tile& tile, uint32_t wide, uint32_t skip, uint32_t deep) const {
  const uint32_t across = ceil_div(wide, kSide), along = ceil_div(deep, c0_);
  FractalLoad call;
  if (!by_depth_ && left_) {  // rows of fractals of A, one after the other
    call.repeat = static_cast<uint8_t>(along), call.src_stride = static_cast<uint16_t>(tile.pitch / kSide);
    for (uint32_t i = 0; i < across; ++i)
      akrt_c_load_fractals(api_, cube::from(l0, uint64_t{i} * along * kFractal),
                           cube::from(tile.at, (uint64_t{skip / c0_} * tile.pitch + i * kSide) * ops::kBlock), call, site_);
    return;
  }
  if (!by_depth_) {  // columns of fractals of B transposed are what L0B wants
    call.repeat = static_cast<uint8_t>(across), call.src_stride = 1;
    for (uint32_t i = 0; i < along; ++i)
      akrt_c_load_fractals(api_, cube::from(l0, uint64_t{i} * across * kFractal),
                           cube::from(tile.at, uint64_t{skip / c0_ + i} * tile.pitch * ops::kBlock), call, site_);
    return;
  }
  if (size_ == 1) return left_ ? squares_left(l0, tile, wide, skip, deep) : squares_right(l0, tile, wide, skip, deep);
  if (pairs()) return squares_left(l0, tile, wide, skip, deep);
  // As the feature map of a convolution of one place: rows are positions, columns channels.
  Img2col map;
  map.height = 1, map.width = static_cast<uint16_t>(tile.pitch);
  map.channels = static_cast<uint16_t>(round_up(wide, kSide)), map.k_extent = map.channels;
  map.m_extent = static_cast<uint16_t>(round_up(deep, kSide)), map.m_start = static_cast<uint16_t>(skip);
  map.transpose = left_;
  akrt_c_img2col(api_, l0, tile.at, map, site_);
}

}  // namespace akrt
