#include "gm_traffic.h"

#include <algorithm>

#include "access.h"
#include "regions.h"

namespace akrt {

namespace {

void shape(Traffic& t, const Access& access) {
  const Access a = merged(access);
  t.pieces = std::max(1u, a.blocks * a.repeats);
  const auto off = [](int64_t bytes) { return bytes % static_cast<int64_t>(GmTraffic::kLine) != 0; };
  t.aligned = a.piece < GmTraffic::kLine ||
              !(off(static_cast<int64_t>(a.base)) || (a.blocks > 1 && off(a.block_stride)) ||
                (a.repeats > 1 && off(a.repeat_stride)));
}

}  // namespace

template <typename F>
void GmTraffic::for_each_line(const Region& region, const Access& access, F&& f) {
  std::vector<Line>& lines = lines_[&region];
  if (lines.empty()) lines.resize(region.bytes / kLine + 2);
  for_each_run(access, [&](uint64_t begin, uint64_t end) {
    begin -= region.begin, end -= region.begin;
    for (uint64_t at = begin; at < end;) {
      const uint64_t next = std::min(end, (at / kLine + 1) * kLine);
      const uint64_t from = at % kLine / kSector;
      const uint64_t to = (next - 1) % kLine / kSector;
      f(lines[at / kLine], static_cast<uint8_t>(((2u << to) - 1) & ~((1u << from) - 1)), next - at);
      at = next;
    }
  });
}

Traffic GmTraffic::read(const Access& access, int32_t block) {
  Traffic t;
  shape(t, access);
  const Region* region = regions_.find(access.base);
  if (region == nullptr) return t;
  const bool bypass = bypassed(region);
  const bool keeps = !bypass && kept();
  for_each_line(*region, access, [&](Line& line, uint8_t sectors, uint64_t bytes) {
    const bool again = (line.sectors & sectors) == sectors;
    read_ += bytes;
    if (!again) first_reads_ += bytes;
    if (again && bypass) past_l2_ += bytes;
    if (!again || !keeps) t.cold += bytes;
    else if (line.block != block) t.shared += bytes;
    else t.cached += bytes;
    if (line.block < 0) line.block = block;
    line.sectors = static_cast<uint8_t>(line.sectors | sectors);
  });
  return t;
}

Traffic GmTraffic::write(const Access& access, int32_t block) {
  Traffic t;
  shape(t, access);
  const Region* region = regions_.find(access.base);
  if (region == nullptr) return t;
  const bool bypass = bypassed(region);
  for_each_line(*region, access, [&](Line& line, uint8_t sectors, uint64_t bytes) {
    t.cached += bytes;
    if (bypass) past_l2_ += bytes;
    if (line.block < 0) line.block = block;
    line.sectors = static_cast<uint8_t>(line.sectors | sectors);
  });
  written_ += t.cached;
  return t;
}

void GmTraffic::bypass(uint64_t address) {
  if (const Region* region = regions_.find(address); region != nullptr) bypassed_.insert(region);
}

bool GmTraffic::kept() const {
  uint64_t total = 0;
  for (const auto& region : regions_.all())
    if (!bypassed(region.get())) total += region->bytes;
  return total <= l2_bytes_;
}

uint64_t GmTraffic::memory_bytes() const { return kept() ? first_reads_ + past_l2_ : read_ + written_; }

}  // namespace akrt
