// BilinearInterpolation: 8 blocks are gathered by byte offset, multiplied by weights, and added up over hRepeat.
#include <cstring>

#include "ops_bodies.h"

namespace akrt::ops {

namespace {

constexpr uint32_t kLanes = kRepeatBytes / 2;
constexpr uint32_t kBlocks = 8;

struct Bilinear {
  Plan plan;
  Operand dst;
  uint32_t src, offsets, weights;
  BilinearCall call;
  bool saturate;
};

uint16_t rounded(float value, bool saturate) {
  uint16_t bits = 0;
  float_to_half(&value, &bits, 1, saturate);
  return bits;
}

// Adds one gathered repeat times its weights; false when an offset leads out of UB.
bool add_repeat(Machine& m, const Bilinear& b, uint32_t index, uint16_t* sum, bool first) {
  uint8_t* ub = m.memory(Space::UB);
  for (uint32_t block = 0; block < kBlocks; ++block) {
    uint32_t offset = 0;
    std::memcpy(&offset, ub + b.offsets + 4 * (index * kBlocks + block), 4);
    Access from;
    from.base = uint64_t{b.src} + offset;
    from.piece = kBlock;
    if (!m.touch(from)) return false;
    uint16_t weight = 0;
    std::memcpy(&weight, ub + b.weights + 2 * (b.call.by_block ? index * kBlocks + block : index), 2);
    const auto* x = reinterpret_cast<const uint16_t*>(ub + from.base);
    for (uint32_t i = 0; i < kBlock / 2; ++i) {
      const uint16_t product = rounded(half_value(x[i]) * half_value(weight), b.saturate);
      uint16_t& to = sum[block * kBlock / 2 + i];
      to = first ? product : rounded(half_value(to) + half_value(product), b.saturate);
    }
  }
  return true;
}

void run(Machine& m, const Bilinear& b) {
  uint8_t* ub = m.memory(Space::UB);
  alignas(64) uint16_t sum[kLanes];
  for (uint32_t down = 0; down < b.call.down; ++down) {
    for (uint32_t across = 0; across < b.call.across; ++across)
      if (!add_repeat(m, b, down * b.call.across + across, sum, across == 0)) return;
    scatter(ub, sum, b.dst, down, b.plan.mask, kLanes);
  }
}

}  // namespace

}  // namespace akrt::ops

using namespace akrt;

extern "C" {

void akrt_v_bilinear(const BilinearCall& call, const Local& dst, const Local& src, const Local& offsets,
                     const Local& weights, const Local& tmp, const Walk& walk, Site site) {
  static constexpr const char* kApi = "BilinearInterpolation";
  Machine& m = Machine::current();
  for (const Local* t : {&dst, &src, &offsets, &weights, &tmp}) ops::require_allocated(kApi, site, *t);
  if (call.across == 0 || call.down == 0 || (call.down > 1 && (call.row < 128 || call.row * 2 % ops::kBlock != 0))) {
    ops::complain("repeat-range", kApi, site,
                  std::string(kApi) + " with hRepeat " + std::to_string(call.across) + ", vRepeat " + std::to_string(call.down) +
                      " and vROffset " + std::to_string(call.row) + ".",
                  "hRepeat and vRepeat are 1 to 255; vROffset is 128 to 65534 elements, in whole blocks of 32 bytes.");
    return;
  }
  const uint32_t least = (src.bytes + weights.bytes) / 2 * 32;
  if (tmp.bytes < least)
    ops::complain("work-too-small", kApi, site,
                  std::string(kApi) + " needs a sharedTmpBuffer of at least " + std::to_string(least) + " bytes; it has " +
                      std::to_string(tmp.bytes) + ".",
                  "The scratch has 32 bytes for every element of src0 and of src1.");
  ops::Bilinear b{};
  b.plan = ops::plan(m, kApi, site, walk, 16);
  if (!b.plan.runs) return;
  b.plan.repeats = call.down;
  b.plan.tail = b.plan.mask;
  b.dst.addr = dst.addr, b.dst.bits = 16;
  b.dst.block = call.block * static_cast<int32_t>(ops::kBlock);
  b.dst.repeat = call.row * 2;
  b.src = src.addr, b.offsets = offsets.addr, b.weights = weights.addr;
  b.call = call, b.saturate = m.regs().saturate;
  const uint32_t gathered = uint32_t{call.across} * call.down;
  Instr instr(Pipe::V, kApi, site);
  instr.reads(contiguous(offsets, 4 * gathered * ops::kBlocks));
  instr.reads(contiguous(weights, 2 * gathered * (call.by_block ? ops::kBlocks : 1)));
  ops::declare(instr, b.plan, b.dst, dst, true);
  Access work = contiguous(tmp, std::min(least, tmp.bytes));
  work.undefined = true;
  instr.writes(work);
  instr.cycles = 4.0 * gathered;  // Gatherb, Brcb, Mul and Add
  instr.run([](Machine& machine, const ops::Bilinear& p) { ops::run(machine, p); }, b);
  m.issue(instr);
}
}
