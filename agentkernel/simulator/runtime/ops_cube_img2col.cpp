// LoadData 3D: the feature map of a convolution, (C1, H, W, C0) in L1, becomes the left or the right operand of a product.
//
// Row m of the matrix is an output position, column k a channel at a place of the filter: channels of a group of C0 fastest,
// then the filter's width, its height, then the groups of channels.
#include <algorithm>
#include <cstring>

#include "core.h"
#include "ops_cube.h"

namespace akrt::cube {

namespace {

struct Columns {
  Space to;
  uint32_t src, dst;
  Img2col c;
  uint8_t size;           // bytes of an element
  bool half_bytes;        // two elements a byte
  uint16_t out_width;
  uint32_t boundary;
  uint32_t capacity;      // of L1
  uint16_t repeat;
  uint16_t m_step, k_step;  // from one repetition to the next
};

uint32_t c0_of(const Columns& x) { return ops::kBlock * (x.half_bytes ? 2 : 1) / x.size; }

// The 32 bytes of L1 that hold channels [k, k + C0) of output position m, or null outside of the map.
const uint8_t* block_at(const uint8_t* l1, const Columns& x, uint32_t m, uint32_t k) {
  const Img2col& c = x.c;
  const uint32_t place = k / c0_of(x);
  const uint32_t column = place % c.filter_w, row = place / c.filter_w % c.filter_h, group = place / (c.filter_w * c.filter_h);
  const int32_t w = static_cast<int32_t>(m % x.out_width * c.stride_w + column * c.dilation_w) - c.pad[0];
  const int32_t h = static_cast<int32_t>(m / x.out_width * c.stride_h + row * c.dilation_h) - c.pad[2];
  if (w < 0 || h < 0 || w >= c.width || h >= c.height) return nullptr;
  uint64_t at = x.src + (uint64_t{group} * c.height + static_cast<uint32_t>(h)) * c.width * ops::kBlock +
                uint64_t{static_cast<uint32_t>(w)} * ops::kBlock;
  if (x.boundary != 0 && at >= x.boundary) at -= x.boundary;
  return at + ops::kBlock <= x.capacity ? l1 + at : nullptr;
}

// Left operand: fractals of 16 positions and C0 columns. Right operand: the rows of the matrix are its depth, so fractals of
// C0 positions and 16 columns, stored by columns. A left operand may be transposed as a whole.
void run(Machine& m, const Columns& x) {
  const uint8_t* l1 = m.memory(Space::L1);
  uint8_t* out = m.memory(x.to) + x.dst;
  const uint32_t c0 = c0_of(x);
  const Img2col& c = x.c;
  uint8_t padding[ops::kBlock];
  for (uint32_t b = 0; b < ops::kBlock; b += x.size) std::memcpy(padding + b, &c.value, x.size);
  for (uint32_t r = 0; r < x.repeat; ++r) {
    const uint32_t m_start = c.m_start + r * x.m_step, k_start = c.k_start + r * x.k_step;
    const bool by_columns = x.to == Space::L0B || c.transpose;
    for (uint32_t i = 0; i < c.m_extent; ++i) {
      for (uint32_t k = 0; k < c.k_extent; k += c0) {
        const uint8_t* in = block_at(l1, x, m_start + i, k_start + k);
        if (in == nullptr) in = padding;
        if (!by_columns) {
          std::memcpy(out + (size_t{i / kSide} * (c.k_extent / c0) + k / c0) * kFractal + i % kSide * ops::kBlock, in, ops::kBlock);
          continue;
        }
        for (uint32_t e = 0; e < c0; ++e) {
          const uint32_t column = k + e;
          const size_t fractal = x.to == Space::L0B ? size_t{i / c0} * (c.k_extent / kSide) + column / kSide
                                                    : size_t{column / kSide} * (c.m_extent / c0) + i / c0;
          std::memcpy(out + fractal * kFractal + size_t{column % kSide} * ops::kBlock + size_t{i % c0} * x.size, in + size_t{e} * x.size,
                      x.size);
        }
      }
    }
    out += size_t{c.m_extent} * c.k_extent * x.size / (x.half_bytes ? 2 : 1);
  }
}

struct Rows {
  uint32_t first, last;
};
// Rows or columns of the map that outputs [first, last] reach.
Rows reached(Rows out, uint32_t stride, uint32_t filter, uint32_t dilation, uint32_t pad, uint32_t size) {
  const int64_t low = int64_t{out.first} * stride - pad;
  const int64_t high = int64_t{out.last} * stride + int64_t{filter - 1} * dilation - pad;
  const int64_t end = int64_t{size} - 1;
  return {static_cast<uint32_t>(std::clamp<int64_t>(low, 0, end)), static_cast<uint32_t>(std::clamp<int64_t>(high, 0, end))};
}

// What is read, rounded to whole rows of the map where several are reached.
Access source(const Local& src, const Columns& x) {
  const Img2col& c = x.c;
  const uint32_t m_last = c.m_start + (x.repeat - 1) * x.m_step + c.m_extent - 1;
  const uint32_t k_last = c.k_start + (x.repeat - 1) * x.k_step + c.k_extent - 1;
  const Rows h = reached({uint32_t{c.m_start} / x.out_width, m_last / x.out_width}, c.stride_h, c.filter_h, c.dilation_h, c.pad[2], c.height);
  Rows w = {0, c.width - 1u};
  if (c.m_start / x.out_width == m_last / x.out_width)
    w = reached({uint32_t{c.m_start} % x.out_width, m_last % x.out_width}, c.stride_w, c.filter_w, c.dilation_w, c.pad[0], c.width);
  const uint32_t per_group = c0_of(x) * c.filter_w * c.filter_h;
  const uint32_t groups = k_last / per_group - c.k_start / per_group + 1;
  const uint32_t plane = uint32_t{c.height} * c.width * ops::kBlock;
  Access a = strided(src, (w.last - w.first + 1) * ops::kBlock, h.last - h.first + 1, int64_t{c.width} * ops::kBlock, groups, plane);
  a.base += uint64_t{c.k_start / per_group} * plane + (uint64_t{h.first} * c.width + w.first) * ops::kBlock;
  return a;
}

bool legal(const char* api, Site site, const Columns& x, DType dtype, uint32_t out_height) {
  const Img2col& c = x.c;
  const uint32_t c0 = c0_of(x);
  const bool left = x.to == Space::L0A;
  const uint32_t k_unit = left && !c.transpose ? c0 : std::max(c0, kSide);
  const uint32_t m_unit = left && !c.transpose ? kSide : std::max(c0, kSide);
  const auto multiple = [&](const char* name, uint32_t value, uint32_t unit) {
    if (value % unit == 0) return true;
    ops::complain("illegal-argument", api, site, std::string(api) + " with " + name + " " + std::to_string(value) + ".",
                  std::string(name) + " is a multiple of " + std::to_string(unit) + " here.");
    return false;
  };
  if (!in_range(api, site, "l1H", c.height, 1, 32767) || !in_range(api, site, "l1W", c.width, 1, 32767) ||
      !in_range(api, site, "strideW", c.stride_w, 1, 63) || !in_range(api, site, "strideH", c.stride_h, 1, 63) ||
      !in_range(api, site, "filterW", c.filter_w, 1, 511) || !in_range(api, site, "filterH", c.filter_h, 1, 511) ||
      !in_range(api, site, "dilationFilterW", c.dilation_w, 1, 255) || !in_range(api, site, "dilationFilterH", c.dilation_h, 1, 255))
    return false;
  if (!multiple("kExtension", c.k_extent, k_unit) || !multiple("kStartPt", c.k_start, c0) || !multiple("mExtension", c.m_extent, m_unit) ||
      !multiple("mStartPt", c.m_start, kSide))
    return false;
  if (c.transpose && (!left || ops::bits_of(dtype) != 16)) {
    ops::complain("illegal-argument", api, site, std::string(api) + " with enTranspose.", "enTranspose is for 16-bit types on the way to L0A (A2).");
    return false;
  }
  if (!left && ops::bits_of(dtype) < 16) {
    ops::complain("illegal-argument", api, site, std::string(api) + " of " + ops::name_of(dtype) + " to L0B.",
                  "To L0B (B2) lead half, bfloat16_t and 32-bit types; load 8-bit ones with LoadDataWithTranspose.");
    return false;
  }
  const uint32_t columns = uint32_t{c.channels} * c.filter_w * c.filter_h;
  if (uint32_t{c.k_start} + c.k_extent > round_up(columns, kSide)) {
    ops::complain("illegal-argument", api, site,
                  std::string(api) + " of columns up to " + std::to_string(c.k_start + c.k_extent) + " of a matrix of " +
                      std::to_string(columns) + ".",
                  "kStartPt + kExtension is at most channelSize * filterH * filterW.");
    return false;
  }
  if (x.out_width == 0 || out_height == 0) {
    ops::complain("illegal-argument", api, site, std::string(api) + " whose filter is larger than the padded map.",
                  "l1W + left + right padding has to hold the dilated filter, and so has l1H.");
    return false;
  }
  return true;
}

uint32_t outputs(uint32_t size, uint32_t before, uint32_t after, uint32_t filter, uint32_t dilation, uint32_t stride) {
  const uint32_t window = (filter - 1) * dilation + 1;
  return filter == 0 || stride == 0 || size + before + after < window ? 0 : (size + before + after - window) / stride + 1;
}

// Published bandwidth by stride, and by how many rows of the map the positions slide.
double bytes_per_cycle(const Columns& x) {
  const Img2col& c = x.c;
  const bool left = x.to == Space::L0A;
  const uint32_t rows = (c.m_start % x.out_width + c.m_extent + x.out_width - 1) / x.out_width;
  const double n = rows;
  const double more = left ? 0 : 2;
  const uint32_t s = c.stride_w;
  if (s == 1 && rows <= 1) return left ? 256 : 128;
  if (s == 1) return left ? std::max(32.0, 512 / (n + 2)) : std::max(512.0 / 18, 512 / (n + 4));
  if (s == 2 || s == 4 || s == 8) return 512 / (2.0 * s + more + (rows > 1 ? n : 0));
  return left ? 32 : 512.0 / 18;
}

}  // namespace

}  // namespace akrt::cube

using namespace akrt;

extern "C" void akrt_c_img2col(const char* api, const Local& dst, const Local& src, const Img2col& call, Site site) {
  Machine& m = Machine::current();
  if (!cube::runs(m, api, site)) return;
  if (!cube::require_space(api, site, dst, {Space::L0A, Space::L0B}, "LoadData 3D ends in L0A (A2) or L0B (B2).") ||
      !cube::require_space(api, site, src, {Space::L1}, "LoadData 3D starts from L1 (A1, B1)."))
    return;
  const Registers& regs = m.regs();
  cube::Columns x{};
  x.to = space_of(dst.position), x.src = src.addr, x.dst = dst.addr, x.c = call;
  x.half_bytes = src.dtype == DType::kInt4;
  x.size = static_cast<uint8_t>(dtype_bytes(src.dtype));
  x.boundary = static_cast<uint32_t>(regs.cube[kAkrtBoundary]);
  x.capacity = m.capacity(Space::L1);
  x.repeat = static_cast<uint16_t>(regs.cube[kAkrtRepeatTimes]);
  const Img2col& c = x.c;
  if (x.repeat == 0 || c.m_extent == 0 || c.k_extent == 0) return;
  x.out_width = static_cast<uint16_t>(cube::outputs(c.width, c.pad[0], c.pad[1], c.filter_w, c.dilation_w, c.stride_w));
  const uint32_t out_height = cube::outputs(c.height, c.pad[2], c.pad[3], c.filter_h, c.dilation_h, c.stride_h);
  if (!cube::legal(api, site, x, src.dtype, out_height)) return;
  const auto stride = static_cast<uint16_t>(regs.cube[kAkrtRepeatStride]);
  if (regs.cube[kAkrtRepeatMode] == 0) x.m_step = static_cast<uint16_t>(stride * cube::kSide);
  else x.k_step = static_cast<uint16_t>(stride * cube::c0_of(x));
  Instr instr(Pipe::MTE1, api, site);
  if (x.boundary == 0) {
    instr.reads(cube::source(src, x));
  } else {  // around the boundary: which bytes is left open, and whether they were written
    const Local whole{0, std::min(x.boundary, x.capacity), src.position, src.dtype};
    instr.reads(contiguous(whole, whole.bytes).unchecked());
  }
  const uint64_t bytes = uint64_t{c.m_extent} * c.k_extent * ops::bits_of(src.dtype) / 8 * x.repeat;
  instr.writes(contiguous(dst, bytes));
  instr.cycles = static_cast<double>(bytes) / cube::bytes_per_cycle(x);
  instr.latency = m.core().launch().clock().costs().img2col_latency;
  instr.run([](Machine& machine, const cube::Columns& p) { cube::run(machine, p); }, x);
  m.issue(instr);
}
