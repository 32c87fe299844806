// Global memory as the clock sees it: which bytes come from memory, which from L2, and which several cores want.
//
// A launch starts with a cold L2. L2 keeps what the launch touches when all arguments that it may keep fit into it
// together; else a line is gone before it is used again, as with a plain LRU over a stream.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "machine.h"

namespace akrt {

class Regions;
struct Region;

struct Traffic {
  uint64_t cold = 0;    // bytes from memory
  uint64_t cached = 0;  // from L2: the same core had them before
  uint64_t shared = 0;  // of lines that another core reads as well: requests to one line are served in turn
  uint32_t pieces = 1;
  bool aligned = true;  // every piece of 512 bytes or more starts at a multiple of 512
};

class GmTraffic {
 public:
  static constexpr uint64_t kLine = 512;    // requests to one line are serialised
  static constexpr uint64_t kSector = 128;  // smallest unit that a transfer is cut into

  GmTraffic(const Regions& regions, uint64_t l2_bytes) : regions_(regions), l2_bytes_(l2_bytes) {}

  Traffic read(const Access& access, int32_t block);
  Traffic write(const Access& access, int32_t block);
  // The argument that holds `address` goes past L2.
  void bypass(uint64_t address);

  // Bytes that memory has to move for everything so far.
  uint64_t memory_bytes() const;
  uint64_t bytes() const { return read_ + written_; }

 private:
  struct Line {
    int32_t block = -1;  // that touched it first
    uint8_t sectors = 0;
  };

  bool kept() const;
  // Calls f(line, mask of its sectors, bytes) for what the access touches, in order.
  template <typename F>
  void for_each_line(const Region& region, const Access& access, F&& f);
  bool bypassed(const Region* region) const { return bypassed_.contains(region); }

  const Regions& regions_;
  uint64_t l2_bytes_;
  std::unordered_map<const Region*, std::vector<Line>> lines_;
  std::unordered_set<const Region*> bypassed_;
  uint64_t read_ = 0;
  uint64_t written_ = 0;
  uint64_t first_reads_ = 0;
  uint64_t past_l2_ = 0;  // reads again and writes of arguments that bypass L2
};

}  // namespace akrt
