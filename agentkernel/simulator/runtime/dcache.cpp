#include "dcache.h"

#include <cstring>

#include "core.h"

namespace akrt {

namespace {

uint64_t line_of(uint64_t addr) { return addr / DCache::kLine * DCache::kLine; }

}  // namespace

const DCache::Taken& DCache::take(uint64_t line) {
  const auto found = loaded_.find(line);
  if (found != loaded_.end()) return found->second;
  return loaded_.emplace(line, Taken{core_.seq(), core_.hazards().issue_clock().others}).first->second;
}

void DCache::take_line(uint64_t addr, uint32_t size, const char* api, Site site) {
  const Taken& taken = take(line_of(addr));
  Region* region = core_.launch().regions().find(addr);
  if (taken.seq == core_.seq() || region == nullptr || region->read_only()) return;
  const Known then{.own = {}, .others = taken.others};
  const Known& now = core_.hazards().issue_clock();
  region->shadow.visit(addr - region->begin, addr + size - region->begin, [&](const Cell& cell, uint64_t, uint64_t) {
    const Stamp& w = cell.writer;
    const auto pipe = static_cast<Pipe>(w.pipe);
    // A store of another core that nothing orders before this load is a race, and reported as such.
    const bool stale = w.core == core_.block() ? pipe != Pipe::S && w.seq > taken.seq
                                               : now.of_core(w.core, pipe, w.tick) && !then.of_core(w.core, pipe, w.tick);
    if (w.tick != 0 && stale) report_stale(addr, size, w, api, site);
  });
}

void DCache::report_stale(uint64_t addr, uint32_t size, const Stamp& w, const char* api, Site site) {
  const Source& writer = core_.launch().sources()[w.source];
  const bool other = w.core != core_.block();
  Finding f;
  f.code = "dcache-stale", f.level = "hazard", f.api = api, f.site = site;
  f.other_api = writer.api, f.other_site = writer.site;
  f.message = std::string(api) + " reads " + place(core_.launch(), Space::GM, addr, addr + size) + ", which " +
              writer.api + " (" + (other ? core_.launch().config().name_of(static_cast<int32_t>(w.core)) + ", " : "") + "pipe " +
              pipe_name(static_cast<Pipe>(w.pipe)) +
              ") has written since its 64-byte line was taken into the data cache.";
  f.hint = "Call DataCacheCleanAndInvalid on the line before the read.";
  f.evidence = place_json(core_.launch(), Space::GM, addr, addr + size);
  core_.report(f);
}

void DCache::become(bool dirty) {
  if (dirty == dirty_) return;
  dirty_ = dirty;
  core_.launch().lines().cache_became(dirty);
}

uint64_t DCache::load(uint64_t addr, uint32_t size, const char* api, Site site) {
  take_line(addr, size, api, site);
  uint64_t bits = 0;
  std::memcpy(&bits, reinterpret_cast<const void*>(addr), size);
  for (uint32_t i = 0; i < size && !lines_.empty(); ++i) {
    const auto it = lines_.find(line_of(addr + i));
    if (it == lines_.end()) continue;
    const uint64_t at = (addr + i) % kLine;
    if ((it->second.dirty >> at & 1) == 0) continue;
    bits = (bits & ~(0xffull << (8 * i))) | uint64_t{it->second.data[at]} << (8 * i);
  }
  return bits;
}

void DCache::store(uint64_t addr, uint32_t size, uint64_t bits, Site site) {
  const Taken& taken = take(line_of(addr));
  for (uint32_t i = 0; i < size; ++i) {
    Line& line = lines_[line_of(addr + i)];
    line.put((addr + i) % kLine, static_cast<uint8_t>(bits >> (8 * i)));
    line.site = site;
  }
  become(true);
  const Line& mine = lines_[line_of(addr)];
  const LineOwners::Owner before = core_.launch().lines().claim(line_of(addr), core_.block(), mine);
  if (before.core < 0 || before.core == core_.block()) return;
  // The line of a core that has written it back, and whose bytes this one's copy has, may change hands.
  const Known then{.own = {}, .others = taken.others};
  if (!before.dirty && then.of_core(static_cast<uint32_t>(before.core), Pipe::S, before.cleaned)) return;
  const bool same = mine.same(before.bytes);
  Finding f;
  f.code = "dcache-false-sharing", f.level = "hazard", f.api = "GlobalTensor::SetValue", f.site = site;
  f.gravity = same ? Gravity::kNote : Gravity::kError;
  f.message = "SetValue stores to " + place(core_.launch(), Space::GM, addr, addr + size) +
              ", in a 64-byte cache line that " + core_.launch().config().name_of(before.core) +
              (same ? " also stores the same values to, and no others; it does not matter which write-back is the last."
                    : " also stores to; one of the two write-backs can lose the other's bytes.");
  f.hint = "Give each core whole 64-byte lines, or write through UB with DataCopyPad.";
  f.evidence = place_json(core_.launch(), Space::GM, addr, addr + size);
  core_.report(f);
}

void DCache::write_back(uint64_t address, const Line& line, const char* api, Site site) {
  for (uint64_t i = 0; i < kLine;) {
    if ((line.dirty >> i & 1) == 0) {
      ++i;
      continue;
    }
    uint64_t n = i;
    while (n < kLine && (line.dirty >> n & 1) != 0) ++n;
    Access a;
    a.space = Space::GM, a.write = true, a.align = 1, a.base = address + i, a.piece = static_cast<uint32_t>(n - i);
    if (core_.scalar_access(a, api, site, false, line.data.data() + i))
      std::memcpy(reinterpret_cast<void*>(address + i), line.data.data() + i, n - i);
    i = n;
  }
  core_.launch().lines().cleaned(address, core_.block(), core_.hazards().completion(Pipe::S).own[Pipe::S]);
}

void DCache::clean(uint64_t addr, Site site) {
  loaded_.erase(line_of(addr));
  const auto it = lines_.find(line_of(addr));
  if (it == lines_.end()) return;
  const Line line = it->second;
  lines_.erase(it);
  become(!lines_.empty());
  write_back(line_of(addr), line, "DataCacheCleanAndInvalid", site);
}

void DCache::clean_all(Site site) {
  std::map<uint64_t, Line> lines;
  lines.swap(lines_);
  become(false);
  loaded_.clear();
  // At the end of the kernel the hardware cleans; a conflict is then the store's.
  for (const auto& [address, line] : lines) {
    if (site != nullptr) {
      write_back(address, line, "DataCacheCleanAndInvalid", site);
    } else {
      write_back(address, line, "GlobalTensor::SetValue", line.site);
    }
  }
}

Site DCache::dirty_in(uint64_t begin, uint64_t end, bool& found) const {
  for (auto it = lines_.lower_bound(line_of(begin)); it != lines_.end() && it->first < end; ++it) {
    for (uint64_t i = 0; i < kLine; ++i) {
      const uint64_t at = it->first + i;
      if ((it->second.dirty >> i & 1) != 0 && at >= begin && at < end) {
        found = true;
        return it->second.site;
      }
    }
  }
  return nullptr;
}

}  // namespace akrt
