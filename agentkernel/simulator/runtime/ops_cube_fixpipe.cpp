// Fixpipe: L0C to global memory or L1, with ReLU, quantisation and a change of layout on the way.
//
// Order inside an element: ReLU, scale, round to nearest even, offset, saturate.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core.h"
#include "ops_cube.h"
#include "ops_atomic.h"
#include "ops_numeric.h"

namespace akrt::cube {

namespace {

constexpr uint32_t kRow = 64;  // bytes of a row of a fractal of L0C

enum Quant : uint8_t { kNone, kF32F16, kF32Bf16, kDeq, kVdeq, kQuant8, kVquant8, kReq8, kVreq8 };
constexpr const char* kQuantNames[] = {"NoQuant", "F322F16",      "F322BF16", "DEQF16", "VDEQF16",
                                       "QF322B8_PRE", "VQF322B8_PRE", "REQ8",     "VREQ8"};

constexpr bool per_column(uint8_t quant) { return quant == kVdeq || quant == kVquant8 || quant == kVreq8; }
constexpr bool to_bytes(uint8_t quant) { return quant >= kQuant8; }

bool fits(uint8_t quant, DType dst, DType src) {
  const bool real = src == DType::kFloat32;
  const bool byte = dst == DType::kInt8 || dst == DType::kUint8;
  switch (quant) {
    case kNone: return dst == src;
    case kF32F16: return real && dst == DType::kFloat16;
    case kF32Bf16: return real && dst == DType::kBfloat16;
    case kDeq:
    case kVdeq: return !real && dst == DType::kFloat16;
    case kQuant8:
    case kVquant8: return real && byte;
    case kReq8:
    case kVreq8: return !real && byte;
    default: return false;
  }
}

// Scale, offset and sign of one column, as the 64 bits of the parameter hold them.
struct Scale {
  float scale;
  int32_t offset;
  bool is_signed;

  static Scale of(uint64_t bits) {
    const auto nine = static_cast<int32_t>(bits >> 37 & 0x1ff);
    return {std::bit_cast<float>(static_cast<uint32_t>(bits) & 0xffffe000u), nine >= 256 ? nine - 512 : nine, (bits >> 46 & 1) != 0};
  }
};

struct Fix {
  Space to, quant_space;
  uint64_t dst;
  uint32_t src, quant_at;
  FixpipeCall call;
  DType dst_type, src_type;
  ops::Atomic atomic;
  bool saturate;
};

uint32_t columns_of_block(const FixpipeCall& call, DType dst) {
  if (call.split) return 8;
  return dtype_bytes(dst) == 1 ? 32 : kSide;
}

// One row of `n` numbers: from what is in L0C to what is stored.
class Converter {
 public:
  Converter(Machine& m, const Fix& f) : f_(f), n_(f.call.n) {
    if (f.call.quant <= kF32Bf16) return;
    scales_.resize(n_, Scale::of(f.call.scalar));
    if (!per_column(f.call.quant)) return;
    const uint8_t* at = m.memory(f.quant_space) + f.quant_at;
    for (uint32_t j = 0; j < n_; ++j) {
      uint64_t bits;
      std::memcpy(&bits, at + size_t{j} * 8, 8);
      scales_[j] = Scale::of(bits);
    }
  }

  void operator()(const uint8_t* words, uint8_t* out) {
    if (f_.src_type == DType::kInt32) integers(reinterpret_cast<const int32_t*>(words), out);
    else reals(reinterpret_cast<const float*>(words), out);
  }

 private:
  void reals(const float* in, uint8_t* out) {
    values_.assign(in, in + n_);
    if (f_.call.relu)
      for (float& v : values_) v = v > 0 ? v : v != v ? v : 0.0f;
    switch (f_.call.quant) {
      case kF32F16: ops::float_to_half(values_.data(), reinterpret_cast<uint16_t*>(out), n_, f_.saturate); return;
      case kF32Bf16:
        for (uint32_t j = 0; j < n_; ++j) {
          const uint16_t bits = ops::bfloat16_bits(values_[j], ops::Round::kRint);
          std::memcpy(out + 2 * j, &bits, 2);
        }
        return;
      case kNone: std::memcpy(out, values_.data(), size_t{n_} * 4); return;
      default: bytes(out);
    }
  }

  void integers(const int32_t* in, uint8_t* out) {
    const auto value = [&](uint32_t j) { return f_.call.relu && in[j] < 0 ? 0 : in[j]; };
    if (f_.call.quant == kNone) {
      for (uint32_t j = 0; j < n_; ++j) {
        const int32_t v = value(j);
        std::memcpy(out + 4 * j, &v, 4);
      }
      return;
    }
    values_.resize(n_);
    for (uint32_t j = 0; j < n_; ++j) values_[j] = static_cast<float>(value(j));
    if (to_bytes(f_.call.quant)) {
      bytes(out);
      return;
    }
    for (uint32_t j = 0; j < n_; ++j) values_[j] *= scales_[j].scale;
    ops::float_to_half(values_.data(), reinterpret_cast<uint16_t*>(out), n_, f_.saturate);
  }

  // To 8 bits: nearest even of value times scale, then the offset, then the range of the type.
  void bytes(uint8_t* out) const {
    for (uint32_t j = 0; j < n_; ++j) {
      const Scale& s = scales_[j];
      const float scaled = values_[j] * s.scale;
      const float bounded = scaled != scaled ? 0.0f : std::clamp(scaled, -65536.0f, 65536.0f);
      const int32_t whole = static_cast<int32_t>(std::nearbyint(bounded)) + s.offset;
      out[j] = static_cast<uint8_t>(s.is_signed ? std::clamp(whole, -128, 127) : std::clamp(whole, 0, 255));
    }
  }

  const Fix& f_;
  uint32_t n_;
  std::vector<Scale> scales_;
  std::vector<float> values_;
};

void fix(Machine& m, const Fix& f) {
  const FixpipeCall& c = f.call;
  const uint32_t size = dtype_bytes(f.dst_type);
  const uint32_t width = columns_of_block(c, f.dst_type);
  Converter convert(m, f);
  std::vector<uint8_t> words(size_t{round_up(c.n, kSide)} * 4), row(size_t{round_up(c.n, kSide)} * 4);
  for (uint32_t q = 0; q < c.matrices; ++q) {
    const uint8_t* in = m.memory(Space::L0C) + f.src + size_t{q} * c.src_matrix * 1024;
    uint8_t* out = m.at(f.to, f.dst) + size_t{q} * c.dst_matrix * size;
    for (uint32_t i = 0; i < c.m; ++i) {
      for (uint32_t j = 0; j < ceil_div(c.n, kSide); ++j)
        std::memcpy(&words[size_t{j} * kRow], in + (size_t{j} * c.src_stride + i) * kRow, std::min(kSide, c.n - j * kSide) * 4);
      convert(words.data(), row.data());
      if (c.row_major) {
        ops::land(f.atomic, out + size_t{i} * c.dst_stride * size, row.data(), c.n * size);
        continue;
      }
      for (uint32_t j = 0; j < c.n; j += width)
        ops::land(f.atomic, out + size_t{j / width} * c.dst_stride * ops::kBlock + size_t{i} * width * size, &row[size_t{j} * size],
                   std::min(width, c.n - j) * size);
    }
  }
}

// ---- declaring ----------------------------------------------------------------------------------------------------
bool legal(const char* api, Site site, const FixpipeCall& c, DType dst, DType src, bool quant_given) {
  if (c.quant > kVreq8 || !fits(c.quant, dst, src)) {
    ops::complain("illegal-argument", api, site,
                  std::string(api) + " to " + ops::name_of(dst) + " from " + ops::name_of(src) + " with quantPre " +
                      (c.quant <= kVreq8 ? kQuantNames[c.quant] : std::to_string(c.quant)) + ".",
                  "float to half F322F16, to bfloat16_t F322BF16, to 8 bits QF322B8_PRE or VQF322B8_PRE; int32_t to half DEQF16 or "
                  "VDEQF16, to 8 bits REQ8 or VREQ8; NoQuant for equal types.");
    return false;
  }
  if (per_column(c.quant) && !quant_given) {
    ops::complain("illegal-argument", api, site, std::string(api) + " with quantPre " + kQuantNames[c.quant] + " and no tensor of parameters.",
                  "The V modes take one uint64_t for every column: pass the tensor to Fixpipe, or set it by SetFixPipeConfig before DataCopy.");
    return false;
  }
  if (!in_range(api, site, "mSize", c.m, 0, c.row_major ? 8192 : 65535)) return false;
  if (c.split && (dst != DType::kFloat32 || c.row_major)) {
    ops::complain("illegal-argument", api, site, std::string(api) + " with channel split.",
                  "Channels are split only from float to float, in NZ.");
    return false;
  }
  const uint32_t unit = c.split ? 8 : kSide;
  if (!c.row_major && c.n % unit != 0) {
    ops::complain("illegal-argument", api, site, std::string(api) + " with nSize " + std::to_string(c.n) + ".",
                  "In NZ nSize is a multiple of 16, of 8 with channel split.");
    return false;
  }
  if (c.unit_flag != 0 && !in_range(api, site, "unitFlag", c.unit_flag, 2, 3)) return false;
  return c.matrices <= 1 || in_range(api, site, "srcNdStride", c.src_matrix, 1, 512);
}

void declare_source(Instr& instr, const Local& src, const FixpipeCall& c) {
  const int64_t matrix = int64_t{c.src_matrix} * 1024;
  const uint32_t whole = c.n / kSide, rest = c.n % kSide;
  if (whole != 0) instr.reads(strided(src, c.m * kRow, whole, int64_t{c.src_stride} * kRow, c.matrices, matrix));
  if (rest == 0) return;
  Access last = strided(src, rest * 4, c.m, kRow, c.matrices, matrix);
  last.base += uint64_t{whole} * c.src_stride * kRow;
  instr.reads(last);
}

template <typename Tensor>
void declare_destination(Instr& instr, const Tensor& dst, const FixpipeCall& c, bool atomic) {
  const uint32_t size = dtype_bytes(dst.dtype);
  const uint32_t width = columns_of_block(c, dst.dtype);
  const auto add = [&](Access a) {
    a.atomic = atomic;
    instr.writes(a);
  };
  if (c.row_major) {
    Access rows = strided(dst, c.n * size, c.m, int64_t{c.dst_stride} * size, c.matrices, int64_t{c.dst_matrix} * size);
    if (rows.space == Space::GM) rows.align = static_cast<uint16_t>(size);
    add(rows);
    return;
  }
  const uint32_t whole = c.n / width, rest = c.n % width;
  const int64_t column = int64_t{c.dst_stride} * ops::kBlock;
  if (whole != 0) add(strided(dst, c.m * width * size, whole, column).aligned(32));
  if (rest == 0) return;
  Access last = strided(dst, rest * size, c.m, int64_t{width} * size).aligned(32);
  last.base += static_cast<uint64_t>(whole * column);
  add(last);
}

template <typename Tensor>
void fixpipe(const char* api, const Tensor& dst, const Local& src, const Local* quant, const FixpipeCall& call, Site site, Space to) {
  Machine& m = Machine::current();
  if (!runs(m, api, site)) return;
  if (!require_space(api, site, src, {Space::L0C}, "Fixpipe and DataCopy out of the product start from L0C (CO1).")) return;
  FixpipeCall c = call;
  if (c.matrices == 0 || c.m == 0 || c.n == 0) return;
  if (!c.row_major) c.matrices = 1;
  if (!legal(api, site, c, dst.dtype, src.dtype, quant != nullptr)) return;
  const Registers& regs = m.regs();
  Fix f{};
  f.to = to, f.dst = dst.addr, f.src = src.addr, f.call = c;
  f.dst_type = dst.dtype, f.src_type = src.dtype;
  f.saturate = regs.saturate;
  f.atomic = ops::Atomic::of(regs);
  if (to != Space::GM) f.atomic.op = 0;
  Instr instr(Pipe::FIX, api, site);
  declare_source(instr, src, c);
  if (per_column(c.quant)) {
    if (!require_space(api, site, *quant, {Space::L1, Space::FB}, "The parameters of quantisation are a tensor of A1 (Fixpipe) or C2PIPE2GM."))
      return;
    f.quant_space = space_of(quant->position), f.quant_at = quant->addr;
    instr.in_order = f.quant_space == Space::FB;  // the pipe itself filled the buffer, and queues order no pipe behind itself
    instr.reads(contiguous(*quant, uint64_t{c.n} * 8));
  }
  declare_destination(instr, dst, c, f.atomic.op != 0);
  if (c.unit_flag != 0)
    instr.unit = {true, c.unit_flag == 3, false, src.addr, round_up(c.m, kSide) * kRow, ceil_div(c.n, kSide), c.src_stride * kRow};
  const Costs& costs = m.core().launch().clock().costs();
  instr.cycles = static_cast<double>(uint64_t{c.matrices} * c.m * c.n) / costs.fix_elements_per_cycle;
  instr.latency = costs.fix_latency;
  if (to == Space::GM) instr.bytes_moved = uint64_t{c.matrices} * c.m * c.n * dtype_bytes(dst.dtype);
  instr.run([](Machine& machine, const Fix& p) { fix(machine, p); }, f);
  m.issue(instr);
}

}  // namespace

}  // namespace akrt::cube

using namespace akrt;

extern "C" {

void akrt_c_fixpipe(const char* api, const Global& dst, const Local& src, const Local* quant, const FixpipeCall& call, Site site) {
  Machine& m = Machine::current();
  if (m.core_type() == CoreType::kCube) ops::check_atomic(api, site, m.regs(), dst);
  cube::fixpipe(api, dst, src, quant, call, site, Space::GM);
}

void akrt_c_fixpipe_local(const char* api, const Local& dst, const Local& src, const Local* quant, const FixpipeCall& call, Site site) {
  if (!cube::runs(Machine::current(), api, site)) return;
  if (!cube::require_space(api, site, dst, {Space::L1}, "Out of L0C leads to global memory or L1 (A1, B1).")) return;
  cube::fixpipe(api, dst, src, quant, call, site, Space::L1);
}

void akrt_c_clear_unit_flags(Site site) {
  Machine& m = Machine::current();
  if (!cube::runs(m, "SetFixPipeConfig", site)) return;
  Instr instr(Pipe::FIX, "SetFixPipeConfig", site);
  instr.unit.clears = true;
  m.issue(instr);
}
}
