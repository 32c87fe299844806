// Masks, repeats and strides: from a call's arguments to the elements it touches.
#include <bit>
#include <cstring>

#include "ops.h"

namespace akrt::ops {

const char* name_of(DType t) {
  static constexpr const char* kNames[] = {"half",     "bfloat16_t", "float",   "int8_t",   "uint8_t", "int16_t",
                                           "uint16_t", "int32_t",    "uint32_t", "int64_t", "uint64_t", "int4b_t"};
  return kNames[static_cast<size_t>(t)];
}

void complain(const char* code, const char* api, Site site, std::string message, std::string hint) {
  Finding f;
  f.code = code;
  f.api = api;
  f.site = site;
  f.message = std::move(message);
  f.hint = std::move(hint);
  Machine::current().report(f);
}

Lanes Lanes::first(uint32_t n) {
  Lanes l;
  l.word[0] = n >= 64 ? ~0ull : (1ull << n) - 1;
  l.word[1] = n >= 128 ? ~0ull : n > 64 ? (1ull << (n - 64)) - 1 : 0;
  return l;
}

uint32_t Lanes::count() const {
  return static_cast<uint32_t>(std::popcount(word[0]) + std::popcount(word[1]));
}

uint64_t Lanes::range(uint32_t i, uint32_t n) const {
  const uint64_t low = i < 64 ? word[0] >> i : 0;
  const uint64_t high = i == 0 ? 0 : i < 64 ? word[1] << (64 - i) : word[1] >> (i - 64);
  return (low | high) & (n >= 64 ? ~0ull : (1ull << n) - 1);
}

uint32_t Plan::total() const { return repeats == 0 ? 0 : (repeats - 1) * lanes + tail.count(); }

bool Plan::prefix() const { return (repeats <= 1 || full()) && tail == Lanes::first(tail.count()); }

namespace {

void check_mask_range(const char* api, Site site, const Walk& walk, uint32_t lanes) {
  if (walk.form == Walk::kFirst && walk.mask[0] > lanes) {
    complain("mask-range", api, site,
             std::string(api) + " with mask " + std::to_string(static_cast<int64_t>(walk.mask[0])) + "; a repeat has " +
                 std::to_string(lanes) + " elements.",
             "The mask counts elements of one repeat: at most 256 / sizeof(T). Use repeatTime for more, or the count form.");
  }
  if (walk.form == Walk::kBits && lanes < 128) {
    const uint64_t beyond = lanes >= 64 ? walk.mask[1] : walk.mask[1] | walk.mask[0] >> lanes;
    if (beyond != 0)
      complain("mask-range", api, site,
               std::string(api) + " with mask bits beyond the " + std::to_string(lanes) + " elements of a repeat.",
               "For 32-bit elements mask[1] has to be 0; for 64-bit ones so does the upper half of mask[0].");
  }
}

// Elements of all repeats, in counter mode or in the count form.
Plan counted(uint64_t total, uint32_t lanes) {
  Plan p;
  p.lanes = lanes;
  p.mask = Lanes::first(lanes);
  // Far beyond any local memory, but small enough for 32-bit sizes: the checker sees it leave UB.
  p.repeats = static_cast<uint32_t>(std::min<uint64_t>((total + lanes - 1) / lanes, kManyRepeats));
  p.tail = Lanes::first(total % lanes == 0 ? lanes : static_cast<uint32_t>(total % lanes));
  p.runs = total != 0;
  return p;
}

}  // namespace

Plan plan(Machine& m, const char* api, Site site, const Walk& walk, uint32_t widest) {
  Registers& regs = m.regs();
  const uint32_t lanes = 8 * kRepeatBytes / widest;
  if (walk.form == Walk::kCount && !walk.keep_mask) {
    const auto count = static_cast<int64_t>(walk.mask[0]);
    if (count < 0) {
      complain("count-range", api, site, std::string(api) + " with count " + std::to_string(count) + ".",
               "The count of elements has to be 0 or more; check the arithmetic of the last tile.");
      return {};
    }
    regs.mask[0] = regs.mask[1] = ~0ull;
    regs.counter_mode = false;
    m.scalar_cycles(4);
    return counted(static_cast<uint64_t>(count), lanes);
  }
  if (!walk.keep_mask) {
    if (regs.counter_mode) {
      regs.mask[0] = walk.mask[0];
      regs.mask[1] = walk.form == Walk::kBits ? walk.mask[1] : 0;
    } else {
      check_mask_range(api, site, walk, lanes);
      const Lanes set = walk.form == Walk::kFirst
                            ? Lanes::first(walk.mask[0] >= lanes ? 128 : static_cast<uint32_t>(walk.mask[0]))
                            : Lanes{{walk.mask[0], walk.mask[1]}};
      regs.mask[0] = set.word[0];
      regs.mask[1] = set.word[1];
    }
    m.scalar_cycles(1);
  }
  if (walk.repeat < 0 || walk.repeat > 255) {
    complain("repeat-range", api, site, std::string(api) + " with repeatTime " + std::to_string(walk.repeat) + ".",
             "repeatTime is 0 to 255; loop over chunks, or use the count form.");
    return {};
  }
  if (regs.counter_mode) return counted(regs.mask[0], lanes);
  Plan p;
  p.lanes = lanes;
  p.repeats = static_cast<uint32_t>(walk.repeat);
  const Lanes all = Lanes::first(lanes);
  p.mask.word[0] = regs.mask[0] & all.word[0];
  p.mask.word[1] = regs.mask[1] & all.word[1];
  p.tail = p.mask;
  p.runs = p.repeats != 0 && !p.mask.none();
  return p;
}

bool Operand::flat(const Plan& p) const {
  const int64_t bytes = int64_t{p.lanes} * bits / 8;
  return (block == static_cast<int32_t>(kBlock) || p.tail.count() * bits <= 8 * kBlock) &&
         (p.repeats <= 1 || (repeat == bytes && block == static_cast<int32_t>(kBlock)));
}

Operand operand(const Plan& p, const Walk& walk, int which, const Local& tensor) {
  Operand o;
  o.addr = tensor.addr;
  o.bits = static_cast<uint8_t>(bits_of(tensor.dtype));
  o.end = tensor.addr + tensor.bytes;
  if (walk.form == Walk::kCount) {
    o.repeat = static_cast<int32_t>(p.lanes * o.bits / 8);
  } else {
    o.block = walk.block[which] * static_cast<int32_t>(kBlock);
    o.repeat = walk.stride[which] * static_cast<int32_t>(kBlock);
  }
  return o;
}

void require_allocated(const char* api, Site site, const Local& tensor) {
  if (tensor.position != 0 || tensor.bytes != 0) return;
  Finding f;
  f.code = "unallocated-tensor";
  f.api = api;
  f.site = site;
  f.message = std::string(api) + " on a LocalTensor that was never given memory.";
  f.hint = "Take local tensors from AllocTensor, DeQue or TBuf::Get before they are used.";
  Machine::current().fatal(std::move(f));
}

void check_scratch(Machine& m, const char* api, Site site, std::initializer_list<const Local*> operands) {
  uint64_t used = m.free_tail(static_cast<uint8_t>(Position::VECCALC)).addr;  // end of TPipe's allocations
  for (const Local* o : operands)
    if (o != nullptr) used = std::max<uint64_t>(used, uint64_t{o->addr} + o->bytes);
  if (used <= kScratch) return;
  complain("scratch-overlap", api, site,
           std::string(api) + " uses UB from " + std::to_string(kScratch) +
               " on as scratch, but buffers reach up to " + std::to_string(used) + ".",
           "Leave the last 8 KB of UB free: keep all buffers together within 184 KB.");
}

Local free_end(Machine& m, const char* api, Site site, uint32_t least) {
  constexpr auto kCalc = static_cast<uint8_t>(Position::VECCALC);
  Local room = m.free_tail(kCalc);
  if (room.bytes >= least) return room;
  const std::string takes = std::string(api) + " takes its scratch from the free end of UB and needs at least " +
                            std::to_string(least) + " bytes there; ";
  const char* hint = "Leave some of UB unallocated below its last 8 KB, or pass a sharedTmpBuffer where there is such a form.";
  const uint32_t below = room.bytes;
  room = m.free_tail(kCalc, true);
  if (room.bytes < least) {
    complain("no-scratch", api, site, takes + std::to_string(room.bytes) + " are free.", hint);
    room.bytes = 0;
    return room;
  }
  Finding f;
  f.code = "no-scratch", f.gravity = Gravity::kNote, f.api = api, f.site = site;
  f.message = takes + std::to_string(below) + " are free below the last 8 KB, which it uses, too.";
  f.hint = hint;
  m.report(f);
  return room;
}

void declare(Instr& instr, const Plan& p, const Operand& o, const Local& tensor, bool write) {
  require_allocated(instr.api, instr.site, tensor);
  const auto add = [&](const Access& a) { write ? instr.writes(a) : instr.reads(a); };
  if (p.prefix() && o.flat(p)) {
    add(contiguous(tensor, (uint64_t{p.total()} * o.bits + 7) / 8));
    return;
  }
  const uint32_t blocks = p.lanes * o.bits / 8 / kBlock;
  const auto part = [&](uint32_t first, uint32_t count, const Lanes& lanes) {
    // The first elements of a contiguous repeat are one piece; anything else is blocks, and lanes in them.
    const bool one_piece = o.block == static_cast<int32_t>(kBlock) && lanes == Lanes::first(lanes.count());
    Access a = one_piece ? strided(tensor, lanes.count() * o.bits / 8, 1, 0, count, o.repeat)
                         : strided(tensor, kBlock, blocks, o.block, count, o.repeat);
    a.base += static_cast<uint64_t>(int64_t{first} * o.repeat);
    if (!one_piece && lanes != Lanes::first(p.lanes) && o.bits >= 8)
      a.masked(lanes.word[1], lanes.word[0], o.bits / 8u);
    add(a);
  };
  if (p.tail == p.mask) {
    part(0, p.repeats, p.mask);
  } else {
    if (p.repeats > 1) part(0, p.repeats - 1, p.mask);
    // Four strided operands with a tail exceed what an instruction can name; the tail of a re-read destination is
    // covered by its write.
    if (instr.accesses < Instr::kMaxAccesses) part(p.repeats - 1, 1, p.tail);
  }
}

namespace {

template <typename Move>
void each_block(const Operand& o, uint32_t repeat, const Lanes& lanes, uint32_t n, Move move) {
  const uint32_t per = 8 * kBlock / o.bits;
  const int64_t start = int64_t{o.addr} + int64_t{repeat} * o.repeat;
  for (uint32_t i = 0, b = 0; i < n; i += per, ++b) {
    const uint64_t bits = lanes.range(i, per);
    if (bits != 0) move(start + int64_t{b} * o.block, i, bits, bits == (per >= 64 ? ~0ull : (1ull << per) - 1));
  }
}

template <typename T>
void copy_lanes(uint8_t* to, const uint8_t* from, uint64_t bits) {
  for (; bits != 0; bits &= bits - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(bits)) * sizeof(T);
    std::memcpy(to + i, from + i, sizeof(T));
  }
}

// The elements of one block whose lanes are on.
void copy_partly(uint8_t* to, const uint8_t* from, uint8_t element_bits, uint64_t bits) {
  switch (element_bits) {
    case 8: return copy_lanes<uint8_t>(to, from, bits);
    case 16: return copy_lanes<uint16_t>(to, from, bits);
    case 32: return copy_lanes<uint32_t>(to, from, bits);
    case 64: return copy_lanes<uint64_t>(to, from, bits);
    default: break;
  }
  for (uint32_t byte = 0; byte < kBlock; ++byte)  // two 4-bit values
    if ((bits >> (2 * byte) & 3) != 0) to[byte] = from[byte];
}

// Whether a repeat is one run of bytes.
bool in_one_piece(const Operand& o, const Lanes& lanes, uint32_t n) {
  return o.block == static_cast<int32_t>(kBlock) && lanes == Lanes::first(n);
}

}  // namespace

void gather(void* packed, const uint8_t* memory, const Operand& o, uint32_t repeat, const Lanes& lanes, uint32_t n) {
  auto* out = static_cast<uint8_t*>(packed);
  if (in_one_piece(o, lanes, n)) {
    std::memcpy(out, memory + (int64_t{o.addr} + int64_t{repeat} * o.repeat), n * o.bits / 8);
    return;
  }
  each_block(o, repeat, lanes, n, [&](int64_t at, uint32_t lane, uint64_t bits, bool whole) {
    uint8_t* to = out + lane * o.bits / 8;
    if (whole) std::memcpy(to, memory + at, kBlock);
    else copy_partly(to, memory + at, o.bits, bits);
  });
}

void scatter(uint8_t* memory, const void* packed, const Operand& o, uint32_t repeat, const Lanes& lanes, uint32_t n) {
  const auto* in = static_cast<const uint8_t*>(packed);
  if (in_one_piece(o, lanes, n)) {
    std::memcpy(memory + (int64_t{o.addr} + int64_t{repeat} * o.repeat), in, n * o.bits / 8);
    return;
  }
  each_block(o, repeat, lanes, n, [&](int64_t at, uint32_t lane, uint64_t bits, bool whole) {
    const uint8_t* from = in + lane * o.bits / 8;
    if (whole) std::memcpy(memory + at, from, kBlock);
    else copy_partly(memory + at, from, o.bits, bits);
  });
}

void run_elementwise(Machine& m, const Elementwise& e) {
  uint8_t* ub = m.memory(Space::UB);
  if (e.flat) {
    e.body({ub + e.dst.addr, ub + e.src0.addr, ub + e.src1.addr, e.plan.total(), e.scalar, e.saturate});
    return;
  }
  alignas(64) uint8_t dst[1024] = {}, src0[1024] = {}, src1[1024] = {};
  for (uint32_t r = 0; r < e.plan.repeats; ++r) {
    const Lanes& lanes = e.plan.of(r);
    gather(src0, ub, e.src0, r, lanes, e.plan.lanes);
    if (e.two) gather(src1, ub, e.src1, r, lanes, e.plan.lanes);
    if (e.reads_dst) gather(dst, ub, e.dst, r, lanes, e.plan.lanes);
    e.body({dst, src0, src1, e.plan.lanes, e.scalar, e.saturate});
    scatter(ub, dst, e.dst, r, lanes, e.plan.lanes);
  }
}

double cycles_at(const Plan& p, double rate) { return p.repeats * (p.lanes / rate); }

void issue_elementwise(Machine& m, const Call& call, Elementwise e, const Local& dst, const Local& src0,
                       const Local* src1) {
  e.dst = operand(e.plan, call.walk, 0, dst);
  e.src0 = operand(e.plan, call.walk, 1, src0);
  e.two = src1 != nullptr;
  if (e.two) e.src1 = operand(e.plan, call.walk, 2, *src1);
  e.saturate = m.regs().saturate;
  e.flat = e.plan.prefix() && e.dst.flat(e.plan) && e.src0.flat(e.plan) && (!e.two || e.src1.flat(e.plan));
  if (call.walk.form != Walk::kCount && call.walk.block[0] == 0 && e.plan.lanes * e.dst.bits / 8 > kBlock)
    complain("stride-range", call.api, call.site, std::string(call.api) + " with dstBlkStride 0.",
             "A destination block stride of 0 is undefined; use 1 for contiguous data.");
  check_overlap(call.api, call.site, e.plan, e.dst, e.src0, false);
  if (e.two) check_overlap(call.api, call.site, e.plan, e.dst, e.src1, call.accumulates);
  Instr instr(Pipe::V, call.api, call.site);
  declare(instr, e.plan, e.src0, src0, false);
  if (e.two) declare(instr, e.plan, e.src1, *src1, false);
  declare(instr, e.plan, e.dst, dst, true);
  if (e.reads_dst && instr.accesses < Instr::kMaxAccesses) declare(instr, e.plan, e.dst, dst, false);
  instr.cycles = cycles_at(e.plan, call.rate);
  instr.run([](Machine& machine, const Elementwise& payload) { run_elementwise(machine, payload); }, e);
  m.issue(instr);
}

}  // namespace akrt::ops
