// Gather and Gatherb by byte offsets, GatherMask compaction.
#include <cstring>
#include <utility>

#include "ops_bodies.h"

namespace akrt::ops {

namespace {

// Reads that the data decide: neighbouring ones are shown to the observers as one access.
class Reads {
 public:
  explicit Reads(Machine& m) : machine_(m) {}
  ~Reads() { flush(); }
  Reads(const Reads&) = delete;
  Reads& operator=(const Reads&) = delete;

  void add(uint64_t at, uint32_t bytes) {
    if (bytes_ != 0 && at == begin_ + bytes_) {
      bytes_ += bytes;
      return;
    }
    flush();
    begin_ = at;
    bytes_ = bytes;
  }

 private:
  void flush() {
    if (bytes_ == 0) return;
    Access a;
    a.align = 1;
    a.base = begin_;
    a.piece = bytes_;
    machine_.touch(a);
    bytes_ = 0;
  }

  Machine& machine_;
  uint64_t begin_ = 0;
  uint32_t bytes_ = 0;
};

struct Offsets {
  Plan plan;
  Operand dst;
  uint32_t src = 0;
  uint32_t offset = 0;
  uint32_t base = 0;
  const char* api = "";
  Site site = nullptr;
  bool wraps = false;  // a raw intrinsic may start anywhere, and count modulo 2^32 into UB from there
};

void bad_offset(const char* api, Site site, uint64_t offset, const char* what, const char* hint) {
  complain("gather-offset", api, site,
           std::string(api) + " with byte offset " + std::to_string(offset) + ", which " + what + ".", hint);
}

void gather_elements(Machine& m, const Offsets& g) {
  uint8_t* ub = m.memory(Space::UB);
  const uint32_t size = g.dst.bits / 8u;
  const uint64_t end = m.capacity(Space::UB);
  alignas(64) uint8_t packed[kRepeatBytes];
  bool complained = false;
  Reads reads(m);
  for (uint32_t r = 0; r < g.plan.repeats; ++r) {
    const Lanes& on = g.plan.of(r);
    for (uint32_t i = 0; i < g.plan.lanes; ++i) {
      if (!on.has(i)) continue;
      uint32_t offset = 0;
      std::memcpy(&offset, ub + g.offset + 4 * (size_t{r} * g.plan.lanes + i), 4);
      const uint64_t from = g.wraps ? g.src + g.base + offset : uint64_t{g.src} + g.base + offset;
      if ((g.base + uint64_t{offset}) % size != 0 && !std::exchange(complained, true))
        bad_offset(g.api, g.site, offset, "is not a multiple of the element size",
                   "Offsets are in bytes: multiply element indices by sizeof(T).");
      if (from + size > end) {
        if (!std::exchange(complained, true))
          bad_offset(g.api, g.site, offset, "leads out of UB",
                     "Offsets are in bytes from the source tensor, plus srcBaseAddr, and have to stay in UB.");
        std::memset(packed + i * size, 0, size);
        continue;
      }
      reads.add(from, size);
      std::memcpy(packed + i * size, ub + from, size);
    }
    scatter(ub, packed, g.dst, r, on, g.plan.lanes);
  }
}

void gather_blocks(Machine& m, const Offsets& g) {
  uint8_t* ub = m.memory(Space::UB);
  const uint64_t end = m.capacity(Space::UB);
  Reads reads(m);
  for (uint32_t i = 0; i < 8 * g.plan.repeats; ++i) {
    uint32_t offset = 0;
    std::memcpy(&offset, ub + g.offset + 4 * size_t{i}, 4);
    const uint64_t from = g.wraps ? g.src + offset : uint64_t{g.src} + offset;
    if (offset % kBlock != 0)
      bad_offset(g.api, g.site, offset, "is not a multiple of 32", "Gatherb moves whole 32-byte blocks.");
    if (from + kBlock > end) {
      bad_offset(g.api, g.site, offset, "leads out of UB", "Offsets are in bytes from the source tensor.");
      continue;
    }
    reads.add(from, kBlock);
    std::memcpy(ub + g.dst.addr + int64_t{i / 8} * g.dst.repeat + int64_t{i % 8} * g.dst.block, ub + from, kBlock);
  }
}

struct Compaction {
  Operand src;
  uint32_t dst = 0;
  uint32_t bits = 0;     // address of the pattern tensor
  uint32_t repeats = 0;
  uint32_t per = 0;      // elements of each repeat
  int32_t bits_stride = 0;
  uint8_t pattern = 0;
};

// Element i of a repeat under a built-in pattern: even, odd, one of every four, all.
bool builtin(uint8_t pattern, uint32_t i) {
  switch (pattern) {
    case 1: return i % 2 == 0;
    case 2: return i % 2 == 1;
    case 3:
    case 4:
    case 5:
    case 6: return i % 4 == static_cast<uint32_t>(pattern - 3);
    default: return true;
  }
}

uint64_t source_of(const Compaction& c, uint32_t repeat, uint32_t i) {
  const uint32_t per_block = 8 * kBlock / c.src.bits;
  return static_cast<uint64_t>(int64_t{c.src.addr} + int64_t{repeat} * c.src.repeat +
                               int64_t{i / per_block} * c.src.block + (i % per_block) * (c.src.bits / 8u));
}

void compact(Machine& m, const Compaction& c) {
  uint8_t* ub = m.memory(Space::UB);
  const uint32_t size = c.src.bits / 8u;
  uint64_t kept = 0;
  for (uint32_t r = 0; r < c.repeats; ++r) {
    const uint8_t* bits = ub + c.bits + int64_t{r} * c.bits_stride;
    for (uint32_t i = 0; i < c.per; ++i) {
      const bool keep = c.pattern != 0 ? builtin(c.pattern, i) : (bits[i / 8] >> (i % 8) & 1) != 0;
      if (!keep) continue;
      std::memmove(ub + c.dst + kept * size, ub + source_of(c, r, i), size);
      ++kept;
    }
  }
  std::memcpy(m.memory(Space::SPR) + Registers::kRsvdCnt, &kept, 8);
  if (kept == 0) return;
  Access written;
  written.write = true;
  written.align = 1;
  written.base = c.dst;
  written.piece = static_cast<uint32_t>(kept * size);
  m.touch(written);
}

}  // namespace

}  // namespace akrt::ops

using namespace akrt;

extern "C" {

void akrt_v_gather(const char* api, const Local& dst, const Local& src, const Local& offset, uint32_t base,
                   const Walk& walk, Site site) {
  Machine& m = Machine::current();
  ops::Offsets g;
  g.plan = ops::plan(m, api, site, walk, ops::bits_of(dst.dtype));
  if (!g.plan.runs) return;
  g.dst = ops::operand(g.plan, walk, 0, dst);
  g.src = src.addr;
  g.wraps = src.addr >= m.capacity(Space::UB);
  g.offset = offset.addr;
  g.base = base;
  g.api = api;
  g.site = site;
  ops::require_allocated(api, site, src);
  if (src.addr < dst.addr + g.plan.total() * ops::bits_of(dst.dtype) / 8 && dst.addr < src.addr + src.bytes)
    ops::complain("operand-overlap", api, site, std::string(api) + ": source and destination share memory.",
                  "Gather cannot work in place: give it another destination.");
  Instr instr(Pipe::V, api, site);
  // Offsets lie one after the other, one per element of the repeats.
  ops::Operand words;
  words.addr = offset.addr;
  words.bits = 32;
  words.repeat = static_cast<int32_t>(4 * g.plan.lanes);
  ops::declare(instr, g.plan, words, offset, false);
  ops::declare(instr, g.plan, g.dst, dst, true);
  instr.cycles = g.plan.total() / 5.0;
  instr.run([](Machine& machine, const ops::Offsets& p) { ops::gather_elements(machine, p); }, g);
  m.issue(instr);
}

void akrt_v_gatherb(const char* api, const Local& dst, const Local& src, const Local& offset, const Walk& walk,
                    Site site) {
  Machine& m = Machine::current();
  m.regs().mask[0] = m.regs().mask[1] = ~0ull;
  ops::Offsets g;
  g.plan.repeats = static_cast<uint32_t>(walk.repeat);
  if (g.plan.repeats == 0) return;
  g.dst.addr = dst.addr;
  g.dst.block = (walk.block[0] == 0 ? 1 : walk.block[0]) * 32;
  g.dst.repeat = walk.stride[0] * 32;
  g.src = src.addr;
  g.wraps = src.addr >= m.capacity(Space::UB);
  g.offset = offset.addr;
  g.api = api;
  g.site = site;
  for (const Local* t : {&dst, &src, &offset}) ops::require_allocated(api, site, *t);
  Instr instr(Pipe::V, api, site);
  instr.reads(contiguous(offset, uint64_t{32} * g.plan.repeats));
  instr.writes(strided(dst, ops::kBlock, 8, g.dst.block, g.plan.repeats, g.dst.repeat));
  instr.cycles = g.plan.repeats * (ops::bits_of(dst.dtype) == 16 ? 128 / 42.0 : 64 / 21.0);
  instr.run([](Machine& machine, const ops::Offsets& p) { ops::gather_blocks(machine, p); }, g);
  m.issue(instr);
}

uint64_t akrt_v_gather_mask(const char* api, const Local& dst, const Local& src, const Local* pattern,
                            const GatherMaskCall& call, Site site) {
  Machine& m = Machine::current();
  const uint32_t bits = ops::bits_of(src.dtype);
  if (pattern == nullptr && (call.pattern < 1 || call.pattern > 7)) {
    ops::complain("illegal-argument", api, site, std::string(api) + " with built-in pattern " + std::to_string(call.pattern) + ".",
                  "Built-in patterns are 1 to 7.");
    return 0;
  }
  ops::require_allocated(api, site, dst);
  ops::require_allocated(api, site, src);
  if (!call.alone) m.regs().counter_mode = false;
  if (call.repeat == 0 || (call.counted && call.mask == 0)) return 0;
  ops::Compaction c;
  c.src.addr = src.addr;
  c.src.bits = static_cast<uint8_t>(bits);
  c.src.block = call.block * 32;
  c.src.repeat = call.stride * 32;
  c.dst = dst.addr;
  c.bits = pattern != nullptr ? pattern->addr : 0;
  c.repeats = call.repeat;
  c.per = call.counted ? std::min(call.mask, ops::kManyRepeats * 8) : 8 * ops::kRepeatBytes / bits;
  c.bits_stride = call.pattern_stride * 32;
  c.pattern = call.pattern;
  Instr instr(Pipe::V, api, site);
  const uint32_t bytes = c.per * (bits / 8);
  const uint32_t whole = bytes / ops::kBlock;
  if (whole != 0) instr.reads(strided(src, ops::kBlock, whole, c.src.block, c.repeats, c.src.repeat));
  if (bytes % ops::kBlock != 0) {
    Access rest = strided(src, bytes % ops::kBlock, 1, 0, c.repeats, c.src.repeat);
    rest.base += static_cast<uint64_t>(int64_t{whole} * c.src.block);
    instr.reads(rest);
  }
  if (pattern != nullptr) instr.reads(strided(*pattern, (c.per + 7) / 8, 1, 0, c.repeats, c.bits_stride));
  // How much is written only the data say; the alignment is known before.
  if (dst.addr % ops::kBlock != 0)
    ops::complain("misaligned-address", api, site,
                  std::string(api) + " writes to UB address " + std::to_string(dst.addr) + ", which is not a multiple of 32.",
                  "Let the destination start at a block of 32 bytes.");
  instr.writes(contiguous(dst, 0));
  instr.writes(Machine::spr(Registers::kRsvdCnt));
  instr.cycles = uint64_t{c.repeats} * c.per / (bits == 16 ? 64.0 : 32.0);
  instr.run([](Machine& machine, const ops::Compaction& p) { ops::compact(machine, p); }, c);
  m.issue(instr);
  if (call.alone) return 0;
  m.stall_for(Pipe::V, api, site);
  uint64_t kept = 0;
  std::memcpy(&kept, m.memory(Space::SPR) + Registers::kRsvdCnt, 8);
  return kept;
}
}
