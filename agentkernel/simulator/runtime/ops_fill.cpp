// Instructions that fill and rearrange: Duplicate, CreateVecIndex, Copy, Brcb.
#include <cstring>

#include "ops_bodies.h"

namespace akrt::ops {

namespace {

template <typename T>
void duplicate(const Batch& b) {
  auto* d = static_cast<T*>(b.dst);
  const T value = static_cast<T>(b.scalar);
  const size_t n = b.n;
  for (size_t i = 0; i < n; ++i) d[i] = value;
}

void copy_bytes(uint8_t* ub, uint32_t dst, uint32_t src, uint32_t bytes) { std::memmove(ub + dst, ub + src, bytes); }

struct Ramp {
  Plan plan;
  Operand dst;
  DType dtype = DType::kFloat32;
  uint64_t first = 0;
};

// Element i of the whole call is first + i, computed in the element type.
void ramp(Machine& m, const Ramp& r) {
  uint8_t* ub = m.memory(Space::UB);
  alignas(64) uint8_t packed[kRepeatBytes];
  for (uint32_t k = 0; k < r.plan.repeats; ++k) {
    for (uint32_t i = 0; i < r.plan.lanes; ++i) {
      const uint32_t step = k * r.plan.lanes + i;
      switch (r.dtype) {
        case DType::kInt16: {
          const auto value = static_cast<uint16_t>(r.first + step);
          std::memcpy(packed + 2 * i, &value, 2);
          break;
        }
        case DType::kInt32: {
          const auto value = static_cast<uint32_t>(r.first + step);
          std::memcpy(packed + 4 * i, &value, 4);
          break;
        }
        case DType::kFloat16: {
          const uint16_t value = half_bits(half_value(static_cast<uint16_t>(r.first)) + static_cast<float>(step));
          std::memcpy(packed + 2 * i, &value, 2);
          break;
        }
        default: {
          const float value = std::bit_cast<float>(static_cast<uint32_t>(r.first)) + static_cast<float>(step);
          std::memcpy(packed + 4 * i, &value, 4);
          break;
        }
      }
    }
    scatter(ub, packed, r.dst, k, r.plan.of(k), r.plan.lanes);
  }
}

struct Strips {
  Plan plan;
  Operand dst, src;
};

struct CountedCopy {
  uint32_t dst, src, bytes, repeats;
  int32_t dst_block, src_block, dst_repeat, src_repeat;
};

struct Broadcast {
  uint32_t dst, src, repeats, size;
  int32_t block, repeat;
};

// In counter mode the mask counts the elements of each repeat, and repeatTime holds.
void copy_counted(Machine& m, const char* api, const Local& dst, const Local& src, const Walk& walk, Site site) {
  const uint64_t bytes = m.regs().mask[0] * bits_of(dst.dtype) / 8;
  if (bytes == 0 || walk.repeat == 0) return;
  const CountedCopy c{dst.addr, src.addr, static_cast<uint32_t>(std::min<uint64_t>(bytes, 1u << 20)),
                      static_cast<uint32_t>(walk.repeat), walk.block[0] * 32, walk.block[1] * 32, walk.stride[0] * 32,
                      walk.stride[1] * 32};
  Instr instr(Pipe::V, api, site);
  const uint32_t whole = c.bytes / kBlock;
  const uint32_t rest = c.bytes % kBlock;
  const auto part = [&](const Local& t, int32_t block, int32_t repeat, bool write) {
    const auto add = [&](const Access& a) { write ? instr.writes(a) : instr.reads(a); };
    if (whole != 0) add(strided(t, kBlock, whole, block, c.repeats, repeat));
    if (rest == 0) return;
    Access a = strided(t, rest, 1, 0, c.repeats, repeat);
    a.base += static_cast<uint64_t>(int64_t{whole} * block);
    add(a);
  };
  part(src, c.src_block, c.src_repeat, false);
  part(dst, c.dst_block, c.dst_repeat, true);
  instr.cycles = c.repeats * ((c.bytes + kRepeatBytes - 1) / kRepeatBytes);
  instr.run(
      [](Machine& machine, const CountedCopy& p) {
        uint8_t* ub = machine.memory(Space::UB);
        for (uint32_t r = 0; r < p.repeats; ++r)
          for (uint32_t b = 0; b * kBlock < p.bytes; ++b)
            copy_bytes(ub, static_cast<uint32_t>(p.dst + int64_t{r} * p.dst_repeat + int64_t{b} * p.dst_block),
                       static_cast<uint32_t>(p.src + int64_t{r} * p.src_repeat + int64_t{b} * p.src_block),
                       std::min(kBlock, p.bytes - b * kBlock));
      },
      c);
  m.issue(instr);
}

}  // namespace

}  // namespace akrt::ops

using namespace akrt;

extern "C" {

void akrt_v_duplicate(const char* api, const Local& dst, uint64_t value, const Walk& walk, Site site) {
  Machine& m = Machine::current();
  const uint32_t bits = ops::bits_of(dst.dtype);
  ops::Elementwise e;
  e.plan = ops::plan(m, api, site, walk, bits);
  if (!e.plan.runs) return;
  e.dst = ops::operand(e.plan, walk, 0, dst);
  e.flat = e.plan.prefix() && e.dst.flat(e.plan);
  e.body = bits == 16 ? &ops::duplicate<uint16_t> : &ops::duplicate<uint32_t>;
  e.scalar = value;
  Instr instr(Pipe::V, api, site);
  ops::declare(instr, e.plan, e.dst, dst, true);
  instr.cycles = ops::cycles_at(e.plan, e.plan.lanes);
  instr.fills = true;
  instr.run(
      [](Machine& machine, const ops::Elementwise& p) {
        uint8_t* ub = machine.memory(Space::UB);
        if (p.flat) {
          p.body({ub + p.dst.addr, nullptr, nullptr, p.plan.total(), p.scalar, false});
          return;
        }
        alignas(64) uint8_t packed[ops::kRepeatBytes];
        p.body({packed, nullptr, nullptr, p.plan.lanes, p.scalar, false});
        for (uint32_t r = 0; r < p.plan.repeats; ++r) ops::scatter(ub, packed, p.dst, r, p.plan.of(r), p.plan.lanes);
      },
      e);
  m.issue(instr);
}

void akrt_v_vec_index(const char* api, const Local& dst, uint64_t first, const Walk& walk, Site site) {
  Machine& m = Machine::current();
  ops::Ramp r;
  r.plan = ops::plan(m, api, site, walk, ops::bits_of(dst.dtype));
  if (!r.plan.runs) return;
  r.dst = ops::operand(r.plan, walk, 0, dst);
  r.dtype = dst.dtype;
  r.first = first;
  Instr instr(Pipe::V, api, site);
  ops::declare(instr, r.plan, r.dst, dst, true);
  instr.cycles = ops::cycles_at(r.plan, r.plan.lanes);
  instr.run([](Machine& machine, const ops::Ramp& p) { ops::ramp(machine, p); }, r);
  m.issue(instr);
}

void akrt_v_copy(const char* api, const Local& dst, const Local& src, const Walk& walk, Site site) {
  Machine& m = Machine::current();
  if (m.regs().counter_mode) {
    if (!walk.keep_mask) m.regs().mask[0] = walk.mask[0];
    ops::copy_counted(m, api, dst, src, walk, site);
    return;
  }
  ops::Strips s;
  s.plan = ops::plan(m, api, site, walk, ops::bits_of(dst.dtype));
  if (!s.plan.runs) return;
  s.dst = ops::operand(s.plan, walk, 0, dst);
  s.src = ops::operand(s.plan, walk, 1, src);
  ops::check_overlap(api, site, s.plan, s.dst, s.src, false);
  Instr instr(Pipe::V, api, site);
  ops::declare(instr, s.plan, s.src, src, false);
  ops::declare(instr, s.plan, s.dst, dst, true);
  instr.cycles = ops::cycles_at(s.plan, s.plan.lanes);
  instr.run(
      [](Machine& machine, const ops::Strips& p) {
        uint8_t* ub = machine.memory(Space::UB);
        alignas(64) uint8_t packed[ops::kRepeatBytes] = {};
        for (uint32_t r = 0; r < p.plan.repeats; ++r) {
          ops::gather(packed, ub, p.src, r, p.plan.of(r), p.plan.lanes);
          ops::scatter(ub, packed, p.dst, r, p.plan.of(r), p.plan.lanes);
        }
      },
      s);
  m.issue(instr);
}

void akrt_v_brcb(const char* api, const Local& dst, const Local& src, const Walk& walk, Site site) {
  Machine& m = Machine::current();
  const uint32_t size = ops::bits_of(dst.dtype) / 8;
  const auto repeats = static_cast<uint32_t>(walk.repeat);
  if (repeats == 0) return;
  if (walk.block[0] == 0)
    ops::complain("stride-range", api, site, std::string(api) + " with dstBlkStride 0.",
                  "A destination block stride of 0 is undefined; use 1 for contiguous blocks.");
  const ops::Broadcast b{dst.addr, src.addr, repeats, size, walk.block[0] * 32, walk.stride[0] * 32};
  const uint64_t read = uint64_t{repeats} * 8 * size;
  const uint64_t written = uint64_t{repeats - 1} * static_cast<uint32_t>(b.repeat) + 7ull * static_cast<uint32_t>(b.block) + 32;
  // what leaves a tensor is out of bounds, not an overlap with its neighbour
  if (src.addr < dst.addr + std::min<uint64_t>(written, dst.bytes) && dst.addr < src.addr + std::min<uint64_t>(read, src.bytes))
    ops::complain("operand-overlap", api, site, std::string(api) + " in place.",
                  "Brcb cannot work in place: give it another destination.");
  Instr instr(Pipe::V, api, site);
  instr.reads(contiguous(src, read));
  instr.writes(strided(dst, ops::kBlock, 8, b.block, repeats, b.repeat));
  instr.cycles = repeats;
  instr.run(
      [](Machine& machine, const ops::Broadcast& p) {
        uint8_t* ub = machine.memory(Space::UB);
        for (uint32_t i = 0; i < 8 * p.repeats; ++i) {
          uint8_t* to = ub + p.dst + int64_t{i / 8} * p.repeat + int64_t{i % 8} * p.block;
          for (uint32_t at = 0; at < ops::kBlock; at += p.size) std::memcpy(to + at, ub + p.src + i * p.size, p.size);
        }
      },
      b);
  m.issue(instr);
}
}
