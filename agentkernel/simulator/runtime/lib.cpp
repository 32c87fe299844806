#include "lib.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "lib_in_place.h"
#include "ops_numeric.h"
#include "ops_reduce.h"

namespace akrt::lib {

void load(float* out, const uint8_t* from, size_t n, DType type) {
  if (type == DType::kFloat32) {
    std::memcpy(out, from, 4 * n);
  } else if (type == DType::kFloat16) {
    ops::half_to_float(reinterpret_cast<const uint16_t*>(from), out, n);
  } else {
    const auto* bits = reinterpret_cast<const uint16_t*>(from);
    for (size_t i = 0; i < n; ++i) out[i] = ops::bfloat16_value(bits[i]);
  }
}

void store(uint8_t* to, const float* in, size_t n, DType type, bool saturate) {
  if (type == DType::kFloat32) {
    std::memcpy(to, in, 4 * n);
  } else if (type == DType::kFloat16) {
    ops::float_to_half(in, reinterpret_cast<uint16_t*>(to), n, saturate);
  } else {
    auto* bits = reinterpret_cast<uint16_t*>(to);
    for (size_t i = 0; i < n; ++i) bits[i] = ops::bfloat16_bits(in[i], ops::Round::kRint);
  }
}

bool require(bool holds, const char* code, const char* api, Site site, const std::string& what,
             const std::string& hint) {
  if (!holds) ops::complain(code, api, site, std::string(api) + what, hint);
  return holds;
}

bool within(const char* api, Site site, const Local& tensor, uint64_t bytes) {
  return require(bytes <= tensor.bytes, "out-of-bounds", api, site,
                 " works on " + std::to_string(bytes) + " bytes of a tensor of " + std::to_string(tensor.bytes) + ".",
                 "Counts and shapes are in elements and stay inside every operand.");
}

namespace {

bool meet(const Local& a, uint64_t a_bytes, const Local& b, uint64_t b_bytes) {
  return a_bytes != 0 && b_bytes != 0 && a.addr < b.addr + b_bytes && b.addr < a.addr + a_bytes;
}

}  // namespace

void require_apart(const char* api, Site site, const Local& dst, const Local& src, uint64_t dst_bytes,
                   uint64_t src_bytes) {
  if (!meet(dst, dst_bytes, src, src_bytes)) return;
  const bool in_place = dst.addr == src.addr && dst_bytes == src_bytes;
  const Tolerated* tolerated = in_place ? tolerated_in_place(api) : nullptr;
  if (tolerated == nullptr) {
    require(false, "operand-overlap", api, site, " writes a destination that shares memory with a source.",
            "Give the destination a buffer of its own: this library function may not work in place.");
    return;
  }
  Finding f;
  f.code = "operand-overlap", f.gravity = Gravity::kNote, f.api = api, f.site = site;
  f.message = std::string(api) + " works in place, which its documentation does not allow. Published kernels rely on it: " +
              tolerated->why + ".";
  f.hint = "Give the destination a buffer of its own.";
  Machine::current().report(f);
}

void take_scratch(Machine& m, Instr& instr, const Scratch& s, std::initializer_list<const Local*> operands) {
  const Local room = s.tmp != nullptr ? *s.tmp : ops::free_end(m, s.api, s.site, s.least);
  const std::string least = std::to_string(s.least);
  if (s.tmp != nullptr) {
    ops::require_allocated(s.api, s.site, room);
    require(room.bytes >= s.least, "work-too-small", s.api, s.site,
            " needs a sharedTmpBuffer of at least " + least + " bytes; it has " + std::to_string(room.bytes) + ".",
            "Size the buffer by the function's Get...MaxMinTmpSize.");
    for (const Local* o : operands)
      if (o != nullptr && !require(!meet(room, room.bytes, *o, o->bytes), "scratch-overlap", s.api, s.site,
                                   " has a sharedTmpBuffer that overlaps one of its operands.",
                                   "Give the scratch a buffer of its own."))
        break;
  } else if (room.bytes == 0) {
    return;
  }
  Access access = contiguous(room, std::min(s.use, room.bytes));
  access.undefined = true;
  instr.writes(access);
}

float tree_sum_row(float* x, size_t n, bool half, bool saturate) {
  const uint32_t lanes = half ? 128 : 64;
  std::vector<float> partial;
  alignas(64) float part[kChunk];
  const float* from = x;
  while (true) {
    std::vector<float> next;
    for (size_t at = 0; at < n; at += lanes) {
      const size_t k = std::min<size_t>(lanes, n - at);
      std::fill(std::copy_n(from + at, k, part), part + lanes, -0.0f);
      next.push_back(ops::tree_sum(part, lanes, half, saturate));
    }
    partial = std::move(next);
    n = partial.size();
    from = partial.data();
    if (n <= 1) return n == 0 ? 0.0f : partial[0];
    std::copy_n(partial.data(), n, x);
    from = x;
  }
}

}  // namespace akrt::lib
