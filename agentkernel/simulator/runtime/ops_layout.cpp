// Layout changes between global memory and UB. The chip has none on the vector side: the library moves one column of
// blocks at a time by DataCopyPad, and so does this.
#include <algorithm>

#include "ops.h"

namespace akrt::ops {

namespace {

constexpr uint32_t kMostBlocks = 4095;  // of one DataCopyPad
constexpr uint32_t kFractal = 16;       // columns of a fractal on the way to global memory

bool in_range(const char* api, Site site, const char* name, uint32_t value, uint32_t least, uint32_t most) {
  if (value >= least && value <= most) return true;
  complain("copy-range", api, site, std::string(api) + " with " + name + " " + std::to_string(value) + ".",
           std::string(name) + " is " + std::to_string(least) + " to " + std::to_string(most) + ".");
  return false;
}

Global from(const Global& g, uint64_t bytes) {
  return {g.addr + bytes, g.bytes > bytes ? g.bytes - bytes : 0, g.dtype};
}
Local from(const Local& l, uint64_t bytes) {
  Local part = l;
  part.addr += static_cast<uint32_t>(bytes);
  part.bytes = l.bytes > bytes ? l.bytes - static_cast<uint32_t>(bytes) : 0;
  return part;
}

}  // namespace

}  // namespace akrt::ops

using namespace akrt;

extern "C" {

void akrt_d_load_nz(const char* api, const Local& dst, const Global& src, const NzCall& c, Site site) {
  if (c.matrices == 0 || c.rows == 0 || c.columns == 0) return;
  if (!ops::in_range(api, site, "ndNum", c.matrices, 0, 4095) ||
      !ops::in_range(api, site, "nValue", c.rows, 0, 16384) ||
      !ops::in_range(api, site, "srcDValue", c.nd_row, 1, 65535) ||
      !ops::in_range(api, site, "dstNzC0Stride", c.nz_column, 1, 16384) ||
      !ops::in_range(api, site, "dstNzNStride", c.nz_row, 1, 16384))
    return;
  const uint32_t size = ops::bits_of(src.dtype) / 8;
  const uint32_t width = c.columns * size;
  for (uint32_t matrix = 0; matrix < c.matrices; ++matrix) {
    for (uint32_t at = 0; at < width; at += ops::kBlock) {
      for (uint32_t row = 0; row < c.rows; row += ops::kMostBlocks) {
        Burst b;
        b.count = std::min(ops::kMostBlocks, c.rows - row);
        b.bytes = std::min(ops::kBlock, width - at);
        b.global_gap = int64_t{c.nd_row} * size - b.bytes;
        b.local_gap = c.nz_row - 1;
        b.pad = b.fill = true;  // the last columns of a block are zero
        const uint64_t read = (uint64_t{matrix} * c.nd_matrix + uint64_t{row} * c.nd_row) * size + at;
        const uint64_t written = uint64_t{matrix} * c.nz_matrix * size +
                                 uint64_t{at / ops::kBlock} * c.nz_column * ops::kBlock +
                                 uint64_t{row} * c.nz_row * ops::kBlock;
        akrt_d_load(api, ops::from(dst, written), ops::from(src, read), b, site);
      }
    }
  }
}

void akrt_d_store_nd(const char* api, const Global& dst, const Local& src, const NzCall& c, Site site) {
  if (c.matrices == 0) return;
  if (!ops::in_range(api, site, "nValue", c.rows, 1, 8192) || !ops::in_range(api, site, "dValue", c.columns, 1, 8192))
    return;
  if (c.columns % ops::kFractal != 0) {
    ops::complain("copy-range", api, site, std::string(api) + " with dValue " + std::to_string(c.columns) + ".",
                  "dValue is a multiple of 16: columns are stored by whole fractals.");
    return;
  }
  const uint32_t size = ops::bits_of(src.dtype) / 8;
  const uint32_t piece = ops::kFractal * size;
  for (uint32_t matrix = 0; matrix < c.matrices; ++matrix) {
    for (uint32_t column = 0; column < c.columns; column += ops::kFractal) {
      for (uint32_t row = 0; row < c.rows; row += ops::kMostBlocks) {
        Burst b;
        b.count = std::min(ops::kMostBlocks, c.rows - row);
        b.bytes = piece;
        b.global_gap = int64_t{c.nd_row} * size - piece;
        b.pad = true;
        const uint64_t read = uint64_t{matrix} * c.nz_matrix * 256 * size +
                              uint64_t{column / ops::kFractal} * c.nz_column * piece + uint64_t{row} * piece;
        const uint64_t written = (uint64_t{matrix} * c.nd_matrix + uint64_t{row} * c.nd_row + column) * size;
        akrt_d_store(api, ops::from(dst, written), ops::from(src, read), b, site);
      }
    }
  }
}
}
