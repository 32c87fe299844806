// The rules on operands that share memory: within a repeat they coincide or are disjoint, and no repeat writes what a
// later one reads.
#include <algorithm>
#include <vector>

#include "ops.h"

namespace akrt::ops {

namespace {

struct Range {
  int64_t begin;
  int64_t end;
};

Range range_of(const Plan& p, const Operand& o) {
  const int64_t blocks = std::max<int64_t>(1, int64_t{p.lanes} * o.bits / 8 / kBlock);
  const int64_t last_block = (blocks - 1) * o.block;
  const int64_t last_repeat = int64_t{p.repeats - 1} * o.repeat;
  const int64_t low = std::min<int64_t>(0, last_block) + std::min<int64_t>(0, last_repeat);
  const int64_t high = std::max<int64_t>(0, last_block) + std::max<int64_t>(0, last_repeat) + kBlock;
  return {o.addr + low, o.addr + high};
}

// Whether the source is the end of the destination's buffer: contiguous, narrower, and ending no earlier.
bool is_end_of(const Plan& p, const Operand& src, const Operand& dst) {
  const auto end = [&](const Operand& o) { return o.addr + uint64_t{p.total()} * o.bits / 8; };
  return dst.bits > src.bits && dst.addr < src.addr && p.prefix() && dst.flat(p) && src.flat(p) && end(dst) <= end(src);
}

uint32_t blocks_in_use(const Plan& p, const Operand& o, uint32_t repeat) {
  const Lanes& lanes = p.of(repeat);
  for (uint32_t i = p.lanes; i > 0; --i)
    if (lanes.has(i - 1)) return ((i - 1) * o.bits / 8) / kBlock + 1;
  return 0;
}

struct Conflict {
  bool within = false;
  bool across = false;
  uint32_t repeat = 0;
};

// Walks the blocks of both operands in the order of the repeats, up to the first overlap, or over all of them.
Conflict find(const Plan& p, const Operand& dst, const Operand& src, Range all, bool to_the_end) {
  Conflict c;
  const auto slots = static_cast<size_t>((all.end - all.begin) / kBlock + 2);
  std::vector<uint32_t> written(slots, 0);  // repeat + 1 of the last write
  const auto slot = [&](int64_t at) { return static_cast<size_t>((at - all.begin) / static_cast<int64_t>(kBlock)); };
  for (uint32_t r = 0; r < p.repeats; ++r) {
    const uint32_t source_blocks = blocks_in_use(p, src, r);
    const uint32_t dest_blocks = blocks_in_use(p, dst, r);
    const auto at = [r](const Operand& o, uint32_t b) {
      return int64_t{o.addr} + int64_t{r} * o.repeat + int64_t{b} * o.block;
    };
    for (uint32_t b = 0; b < source_blocks; ++b) {
      const int64_t s = at(src, b);
      for (size_t k = slot(s); k <= slot(s + kBlock - 1); ++k)
        if (written[k] != 0 && !c.across) c.across = true, c.repeat = r;
      for (uint32_t d = 0; d < dest_blocks; ++d) {
        const int64_t t = at(dst, d);
        const bool same = s == t && b == d && dst.bits == src.bits;
        if (!same && s < t + kBlock && t < s + kBlock && !c.within) c.within = true, c.repeat = r;
      }
    }
    for (uint32_t d = 0; d < dest_blocks; ++d)
      for (size_t k = slot(at(dst, d)); k <= slot(at(dst, d) + kBlock - 1); ++k) written[k] = r + 1;
    if ((c.within && !to_the_end) || c.across) break;
  }
  return c;
}

}  // namespace

void check_overlap(const char* api, Site site, const Plan& p, const Operand& dst, const Operand& src,
                   bool accumulates) {
  if (!p.runs) return;
  const Range d = range_of(p, dst);
  const Range s = range_of(p, src);
  // What leaves a tensor is out of bounds and reported as that: it is no overlap with its neighbour.
  if (d.begin >= std::min<int64_t>(s.end, src.end) || s.begin >= std::min<int64_t>(d.end, dst.end)) return;
  const bool same_walk = dst.addr == src.addr && dst.bits == src.bits && dst.block == src.block &&
                         dst.repeat == src.repeat;
  const int64_t repeat_bytes = int64_t{p.lanes} * dst.bits / 8;
  if (same_walk && (p.repeats <= 1 || (dst.block == static_cast<int32_t>(kBlock) && dst.repeat >= repeat_bytes))) return;
  // Narrowing over its own source writes no byte that a later repeat reads, nor does widening the end of a buffer into
  // the whole of it.
  const bool narrows = dst.addr == src.addr && dst.bits < src.bits;
  const bool widens = is_end_of(p, src, dst);
  const Conflict c = find(p, dst, src, {std::min(d.begin, s.begin), std::max(d.end, s.end)}, narrows || widens);
  if (c.across && !c.within && accumulates && (dst.repeat == 0 || src.repeat == 0)) return;
  if (!c.within && !c.across) return;
  if ((narrows || widens) && !c.across) {
    Finding f;
    f.code = "operand-overlap", f.gravity = Gravity::kNote, f.api = api, f.site = site;
    f.message = std::string(api) + (narrows ? " narrows in place" : " widens the end of a buffer into the whole of it") +
                " (UB from " + std::to_string(dst.addr) + "): it works where a repeat is read before it is written, which "
                "is not documented.";
    f.hint = "Use another buffer for the result.";
    Machine::current().report(f);
    return;
  }
  complain("operand-overlap", api, site,
           std::string(api) + ": the destination (UB from " + std::to_string(dst.addr) + ") and a source (UB from " +
               std::to_string(src.addr) + ") " +
               (c.within ? "overlap partly within repeat " : "overlap: a repeat writes what is read in repeat ") +
               std::to_string(c.repeat) + ".",
           "Operands of one instruction have to coincide exactly or be disjoint; use another buffer or split the call.");
}

}  // namespace akrt::ops
