// Write-back data cache of the scalar unit: global stores stay here until their line is cleaned or the kernel ends.
#pragma once
#include <cstdint>
#include <map>
#include <unordered_map>

#include "akrt/abi.h"
#include "line_owners.h"
#include "shadow.h"
#include "vclock.h"

namespace akrt {

class Core;

class DCache {
 public:
  static constexpr uint64_t kLine = LineBytes::kLine;

  explicit DCache(Core& core) : core_(core) {}

  // `size` bytes at `addr`; the caller has checked that they exist. Values are raw bits.
  uint64_t load(uint64_t addr, uint32_t size, const char* api, Site site);
  // A load takes its line into the cache. Reports bytes that a pipe has written since: the cache holds older ones.
  void take_line(uint64_t addr, uint32_t size, const char* api, Site site);
  void store(uint64_t addr, uint32_t size, uint64_t bits, Site site);
  // Writes the dirty bytes of one line, or of all, to global memory.
  void clean(uint64_t addr, Site site);
  void clean_all(Site site);

  ~DCache() { become(false); }
  DCache(const DCache&) = delete;
  DCache& operator=(const DCache&) = delete;

  bool has_dirty() const { return !lines_.empty(); }
  // Site of a dirty byte in [begin, end), or null; `found` says whether there is one.
  Site dirty_in(uint64_t begin, uint64_t end, bool& found) const;

 private:
  struct Line : LineBytes {
    Site site = nullptr;  // last store
  };
  // When a line was taken in: place in the program, and what was known of other cores.
  struct Taken {
    uint32_t seq;
    KnowledgePtr others;
  };
  const Taken& take(uint64_t line);
  void write_back(uint64_t address, const Line& line, const char* api, Site site);
  void become(bool dirty);
  void report_stale(uint64_t addr, uint32_t size, const Stamp& writer, const char* api, Site site);

  Core& core_;
  std::map<uint64_t, Line> lines_;                 // by address
  std::unordered_map<uint64_t, Taken> loaded_;     // by address of the line
  bool dirty_ = false;
};

}  // namespace akrt
