// Tiling of the softmax family. K: elements of a row, M: rows, B: elements of a block of 32 bytes; scratch is counted in
// floats. The formulas are those of Ascend 910B (arch 2201).
#include "tiling/softmax_tiling.h"

#include <algorithm>

namespace AscendC {

namespace {

constexpr uint32_t kFloatBytes = 4;
constexpr uint32_t kRowTile = 8;  // rows that are handled together
constexpr uint32_t kBasicElements = 16384;

struct Rows {
  uint32_t m, k;
};
Rows rows_of(const ge::Shape& shape) { return {akshared::rows_of(shape), akshared::last_dim(shape)}; }

bool basic(const Rows& rows) { return rows.m % kRowTile == 0 && rows.k % akshared::kSoftmaxRepeat == 0; }

// The largest number of rows, a multiple of 8 that divides all of them, of at most `base` rows.
uint32_t adjusted(uint32_t base, const Rows& rows) {
  if (base <= kRowTile || !basic(rows)) return base;
  base = base / kRowTile * kRowTile;
  while (rows.m % base != 0) base -= kRowTile;
  while (base * rows.k >= kBasicElements && base > 1) base /= 2;
  return base;
}

// LogSoftMaxTiling has the same fields.
template <class Plain>
Plain split(const Rows& rows, uint32_t block, uint32_t base) {
  const uint32_t tail = rows.m % base;
  return {rows.m, rows.k, rows.m * rows.k, rows.m, block, rows.m * block, base, rows.k, base * rows.k,
          base, block, base * block, rows.m / base, tail, tail * rows.k, tail * block};
}

uint32_t rows_in(uint32_t work_bytes, uint32_t row, uint32_t m) {
  return std::max(1u, std::min(work_bytes / kFloatBytes / row, m));
}

template <class Plain = tiling::SoftMaxTiling, class Tiling>
void by_row(const ge::Shape& shape, uint32_t type_bytes, uint32_t work_bytes, Tiling& tiling, uint32_t row) {
  const Rows rows = rows_of(shape);
  if (rows.m == 0 || rows.k == 0 || type_bytes == 0) return;
  uint32_t base = rows_in(work_bytes, row, rows.m);
  if (base > kRowTile && base < rows.m) base = base / kRowTile * kRowTile;
  akshared::keep(tiling, split<Plain>(rows, akshared::in_block(type_bytes), adjusted(base, rows)));
}

template <class Tiling>
void flash_v2(const ge::Shape& shape, uint32_t type1, uint32_t type2, uint32_t work_bytes, Tiling& tiling,
              bool wants_basic, bool brc) {
  const Rows rows = rows_of(shape);
  if (rows.m == 0 || rows.k == 0 || type2 == 0) return;
  const bool with_basic = wants_basic && basic(rows);
  uint32_t base = rows_in(work_bytes, akshared::softmax_flash_v2_floats(rows.k, type1, type2, with_basic), rows.m);
  if (with_basic) base = adjusted(base, rows);
  const uint32_t tile = brc && type1 == 2 ? 2 * kRowTile : kRowTile;
  if (base > tile && base < rows.m) base = base / tile * tile;
  akshared::keep(tiling, split<tiling::SoftMaxTiling>(rows, akshared::in_block(type2), base));
}

}  // namespace

uint32_t GetSoftMaxMaxTmpSize(const ge::Shape& shape, const uint32_t type_bytes, const bool) {
  const Rows rows = rows_of(shape);
  return kFloatBytes * rows.m * akshared::softmax_floats(rows.k, type_bytes);
}
uint32_t GetSoftMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_bytes, const bool) {
  return kFloatBytes * akshared::softmax_floats(rows_of(shape).k, type_bytes);
}
uint32_t GetSoftMaxGradMaxTmpSize(const ge::Shape& shape, const uint32_t type_bytes, const bool front, const bool) {
  const Rows rows = rows_of(shape);
  return kFloatBytes * rows.m * akshared::softmax_grad_floats(rows.k, type_bytes, front);
}
uint32_t GetSoftMaxGradMinTmpSize(const ge::Shape& shape, const uint32_t type_bytes, const bool front, const bool) {
  return kFloatBytes * akshared::softmax_grad_floats(rows_of(shape).k, type_bytes, front);
}
uint32_t GetSoftMaxFlashMaxTmpSize(const ge::Shape& shape, const uint32_t type_bytes, const bool update, const bool) {
  const Rows rows = rows_of(shape);
  return kFloatBytes * rows.m * akshared::softmax_flash_floats(rows.k, type_bytes, update);
}
uint32_t GetSoftMaxFlashMinTmpSize(const ge::Shape& shape, const uint32_t type_bytes, const bool update, const bool) {
  return kFloatBytes * akshared::softmax_flash_floats(rows_of(shape).k, type_bytes, update);
}
uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape& shape, const uint32_t type1, const uint32_t type2, const bool,
                                     const bool wants_basic, const bool) {
  const uint32_t k = rows_of(shape).k;
  return akshared::softmax_flash_v2_scratch(k, type1, type2, wants_basic && k % akshared::kSoftmaxRepeat == 0);
}
uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape& shape, const uint32_t type1, const uint32_t type2, const bool,
                                     const bool wants_basic, const bool) {
  const Rows rows = rows_of(shape);
  return kFloatBytes * rows.m * akshared::softmax_flash_v2_floats(rows.k, type1, type2, wants_basic && basic(rows));
}
// No formula is published for V3 and for LogSoftMax: a row of floats, a block and a repeat, as for SoftMax.
void GetSoftMaxFlashV3MaxMinTmpSize(const ge::Shape& shape, const uint32_t type1, const uint32_t type2, uint32_t& most,
                                    uint32_t& least, const bool, const bool) {
  const Rows rows = rows_of(shape);
  least = kFloatBytes * akshared::softmax_floats(rows.k, std::min(type1, type2));
  most = least * rows.m;
}
uint32_t GetLogSoftMaxMaxTmpSize(const ge::Shape shape, const uint32_t type_bytes, const bool reuse) {
  return GetSoftMaxMaxTmpSize(shape, type_bytes, reuse);
}
uint32_t GetLogSoftMaxMinTmpSize(const ge::Shape shape, const uint32_t type_bytes, const bool reuse) {
  return GetSoftMaxMinTmpSize(shape, type_bytes, reuse);
}

#define AK_FILL(space)                                                                                                \
  void SoftMaxTilingFunc(const ge::Shape& shape, const uint32_t size, const uint32_t work, space::SoftMaxTiling& to) { \
    by_row(shape, size, work, to, akshared::softmax_floats(rows_of(shape).k, size));                                   \
  }                                                                                                                   \
  void SoftMaxGradTilingFunc(const ge::Shape& shape, const uint32_t size, const uint32_t work,                        \
                             space::SoftMaxTiling& to, const bool front) {                                            \
    by_row(shape, size, work, to, akshared::softmax_grad_floats(rows_of(shape).k, size, front));                       \
  }                                                                                                                   \
  void SoftMaxFlashTilingFunc(const ge::Shape& shape, const uint32_t size, const uint32_t work,                       \
                              space::SoftMaxTiling& to, const bool update) {                                          \
    by_row(shape, size, work, to, akshared::softmax_flash_floats(rows_of(shape).k, size, update));                     \
  }                                                                                                                   \
  void SoftMaxFlashV2TilingFunc(const ge::Shape& shape, const uint32_t size, const uint32_t wide, const uint32_t work, \
                                space::SoftMaxTiling& to, const bool, const bool wants_basic, const bool brc) {       \
    flash_v2(shape, size, wide, work, to, wants_basic, brc);                                                           \
  }                                                                                                                   \
  void SoftMaxFlashV3TilingFunc(const ge::Shape& shape, const uint32_t size, const uint32_t wide, const uint32_t work, \
                                space::SoftMaxTiling& to, const bool, const bool) {                                   \
    by_row(shape, wide, work, to, akshared::softmax_floats(rows_of(shape).k, size));                                   \
  }                                                                                                                   \
  void LogSoftMaxTilingFunc(const ge::Shape shape, const uint32_t size, const uint32_t work,                          \
                            space::LogSoftMaxTiling& to) {                                                            \
    by_row<tiling::LogSoftMaxTiling>(shape, size, work, to, akshared::softmax_floats(rows_of(shape).k, size));         \
  }
AK_FILL(optiling)
AK_FILL(tiling)
#undef AK_FILL

namespace {
bool is_basic(uint32_t rows, uint32_t columns, uint32_t tail, uint32_t bytes) {
  return rows % kRowTile == 0 && tail == 0 && columns % akshared::kSoftmaxRepeat == 0 && columns >= 256 / bytes && columns < 2048;
}
}  // namespace
bool IsBasicBlockInSoftMax(tiling::SoftMaxTiling& t, const uint32_t dataTypeSize) {
  return is_basic(t.splitM, t.splitK, t.tailM, dataTypeSize);
}
bool IsBasicBlockInSoftMax(optiling::SoftMaxTiling& t, const uint32_t dataTypeSize) {
  return is_basic(t.get_splitM(), t.get_splitK(), t.get_tailM(), dataTypeSize);
}

}  // namespace AscendC
