// Tiling of the softmax family. K: elements of a row, M: rows, B: elements of a block of 32 bytes; scratch is counted in
// floats. The formulas are those of Ascend 910B (arch 2201).
#include "tiling/softmax_tiling.h"

#include <algorithm>

namespace AscendC {

namespace {

constexpr uint32_t kFloatBytes = 4;
constexpr uint32_t kRepeat = 64;        // floats of one vector instruction
constexpr uint32_t kRowTile = 8;        // rows that are handled together
constexpr uint32_t kBasicElements = 16384;
constexpr uint32_t kLongRow = 1024;     // rows of this length need two vector instructions' worth beside them

struct Rows {
  uint32_t m = 1;
  uint32_t k = 1;
};

Rows rows_of(const ge::Shape& shape) {
  Rows rows;
  const size_t count = shape.GetDimNum();
  for (size_t i = 0; i + 1 < count; ++i) rows.m *= static_cast<uint32_t>(shape.GetDim(i));
  if (count > 0) rows.k = static_cast<uint32_t>(shape.GetDim(count - 1));
  return rows;
}

uint32_t block_of(uint32_t type_bytes) { return type_bytes == 0 ? 0 : akshared::kBlockBytes / type_bytes; }

bool basic(const Rows& rows) { return rows.m % kRowTile == 0 && rows.k % kRepeat == 0; }

// The largest number of rows, a multiple of 8 that divides all of them, of at most `base` rows.
uint32_t adjusted(uint32_t base, const Rows& rows) {
  if (base <= kRowTile || !basic(rows)) return base;
  base = base / kRowTile * kRowTile;
  while (rows.m % base != 0) base -= kRowTile;
  while (base * rows.k >= kBasicElements && base > 1) base /= 2;
  return base;
}

uint32_t plain_row(const Rows& rows, uint32_t block) { return block + rows.k + kRepeat; }

uint32_t grad_row(const Rows& rows, uint32_t type_bytes, bool front) {
  const uint32_t block = block_of(type_bytes);
  if (type_bytes == 2) return 2 * block + 3 * rows.k + kRepeat;
  return (front ? 1 : 2) * block + rows.k + kRepeat;
}

uint32_t flash_row(const Rows& rows, uint32_t type_bytes, bool update) {
  const uint32_t block = block_of(type_bytes);
  return update ? 4 * block + 2 * rows.k : block + rows.k + kRepeat;
}

uint32_t flash_v2_row(const Rows& rows, uint32_t type1, uint32_t type2, bool with_basic) {
  const uint32_t block = block_of(type2);
  if (!with_basic) return type1 == 2 ? 2 * block + rows.k + kRepeat : block + kRepeat;
  const uint32_t beside = rows.k == kLongRow ? 2 * kRepeat : kRepeat;
  return type1 == 2 ? block + rows.k + beside : block + beside;
}

tiling::SoftMaxTiling split(const Rows& rows, uint32_t block, uint32_t base) {
  const uint32_t tail = rows.m % base;
  return {rows.m, rows.k, rows.m * rows.k, rows.m, block, rows.m * block, base, rows.k, base * rows.k,
          base, block, base * block, rows.m / base, tail, tail * rows.k, tail * block};
}

uint32_t rows_in(uint32_t work_bytes, uint32_t row, uint32_t m) {
  return std::max(1u, std::min(work_bytes / kFloatBytes / row, m));
}

template <class Tiling>
void by_row(const ge::Shape& shape, uint32_t type_bytes, uint32_t work_bytes, Tiling& tiling, uint32_t row) {
  const Rows rows = rows_of(shape);
  if (rows.m == 0 || rows.k == 0 || type_bytes == 0) return;
  uint32_t base = rows_in(work_bytes, row, rows.m);
  if (base > kRowTile && base < rows.m) base = base / kRowTile * kRowTile;
  akshared::keep(tiling, split(rows, block_of(type_bytes), adjusted(base, rows)));
}

template <class Tiling>
void flash_v2(const ge::Shape& shape, uint32_t type1, uint32_t type2, uint32_t work_bytes, Tiling& tiling,
              bool wants_basic, bool brc) {
  const Rows rows = rows_of(shape);
  if (rows.m == 0 || rows.k == 0 || type2 == 0) return;
  const bool with_basic = wants_basic && basic(rows);
  uint32_t base = rows_in(work_bytes, flash_v2_row(rows, type1, type2, with_basic), rows.m);
  if (with_basic) base = adjusted(base, rows);
  const uint32_t tile = brc && type1 == 2 ? 2 * kRowTile : kRowTile;
  if (base > tile && base < rows.m) base = base / tile * tile;
  akshared::keep(tiling, split(rows, block_of(type2), base));
}

}  // namespace

uint32_t GetSoftMaxMaxTmpSize(const ge::Shape& shape, const uint32_t type_bytes, const bool) {
  const Rows rows = rows_of(shape);
  return kFloatBytes * rows.m * plain_row(rows, block_of(type_bytes));
}
uint32_t GetSoftMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_bytes, const bool) {
  return kFloatBytes * plain_row(rows_of(shape), block_of(type_bytes));
}
void SoftMaxTilingFunc(const ge::Shape& shape, const uint32_t type_bytes, const uint32_t work,
                       optiling::SoftMaxTiling& tiling) {
  by_row(shape, type_bytes, work, tiling, plain_row(rows_of(shape), block_of(type_bytes)));
}
void SoftMaxTilingFunc(const ge::Shape& shape, const uint32_t type_bytes, const uint32_t work,
                       tiling::SoftMaxTiling& tiling) {
  by_row(shape, type_bytes, work, tiling, plain_row(rows_of(shape), block_of(type_bytes)));
}

uint32_t GetSoftMaxGradMaxTmpSize(const ge::Shape& shape, const uint32_t type_bytes, const bool front, const bool) {
  const Rows rows = rows_of(shape);
  return kFloatBytes * rows.m * grad_row(rows, type_bytes, front);
}
uint32_t GetSoftMaxGradMinTmpSize(const ge::Shape& shape, const uint32_t type_bytes, const bool front, const bool) {
  return kFloatBytes * grad_row(rows_of(shape), type_bytes, front);
}
void SoftMaxGradTilingFunc(const ge::Shape& shape, const uint32_t type_bytes, const uint32_t work,
                           optiling::SoftMaxTiling& tiling, const bool front) {
  by_row(shape, type_bytes, work, tiling, grad_row(rows_of(shape), type_bytes, front));
}
void SoftMaxGradTilingFunc(const ge::Shape& shape, const uint32_t type_bytes, const uint32_t work,
                           tiling::SoftMaxTiling& tiling, const bool front) {
  by_row(shape, type_bytes, work, tiling, grad_row(rows_of(shape), type_bytes, front));
}

uint32_t GetSoftMaxFlashMaxTmpSize(const ge::Shape& shape, const uint32_t type_bytes, const bool update, const bool) {
  const Rows rows = rows_of(shape);
  return kFloatBytes * rows.m * flash_row(rows, type_bytes, update);
}
uint32_t GetSoftMaxFlashMinTmpSize(const ge::Shape& shape, const uint32_t type_bytes, const bool update, const bool) {
  return kFloatBytes * flash_row(rows_of(shape), type_bytes, update);
}
void SoftMaxFlashTilingFunc(const ge::Shape& shape, const uint32_t type_bytes, const uint32_t work,
                            optiling::SoftMaxTiling& tiling, const bool update) {
  by_row(shape, type_bytes, work, tiling, flash_row(rows_of(shape), type_bytes, update));
}

uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape& shape, const uint32_t type1, const uint32_t type2, const bool,
                                     const bool wants_basic, const bool) {
  const Rows rows = rows_of(shape);
  const bool with_basic = wants_basic && rows.k % kRepeat == 0;
  if (!with_basic) return kFloatBytes * flash_v2_row(rows, type1, type2, false);
  const uint32_t block = block_of(type2);
  const uint32_t beside = rows.k == kLongRow ? 2 * kRepeat : kRepeat;
  return kRowTile * (type1 == 2 ? block + rows.k + beside : block + beside);
}
uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape& shape, const uint32_t type1, const uint32_t type2, const bool,
                                     const bool wants_basic, const bool) {
  const Rows rows = rows_of(shape);
  return kFloatBytes * rows.m * flash_v2_row(rows, type1, type2, wants_basic && basic(rows));
}
void SoftMaxFlashV2TilingFunc(const ge::Shape& shape, const uint32_t type1, const uint32_t type2, const uint32_t work,
                              optiling::SoftMaxTiling& tiling, const bool, const bool wants_basic, const bool brc) {
  flash_v2(shape, type1, type2, work, tiling, wants_basic, brc);
}
void SoftMaxFlashV2TilingFunc(const ge::Shape& shape, const uint32_t type1, const uint32_t type2, const uint32_t work,
                              tiling::SoftMaxTiling& tiling, const bool, const bool wants_basic, const bool brc) {
  flash_v2(shape, type1, type2, work, tiling, wants_basic, brc);
}

bool IsBasicBlockInSoftMax(tiling::SoftMaxTiling& t, const uint32_t) {
  return t.splitM % kRowTile == 0 && t.splitK % kRepeat == 0 && t.tailM == 0;
}
bool IsBasicBlockInSoftMax(optiling::SoftMaxTiling& t, const uint32_t) {
  return t.get_splitM() % kRowTile == 0 && t.get_splitK() % kRepeat == 0 && t.get_tailM() == 0;
}

}  // namespace AscendC
