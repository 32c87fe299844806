// Ranges of UB whose accesses a kernel wants to be told of (CheckLocalMemoryIA).
#pragma once
#include <array>
#include <cstdint>

namespace akrt {

struct Watch {
  uint64_t begin = 0;  // bytes
  uint64_t end = 0;
  uint32_t kinds = 0;  // bits of AkrtWatch
};

class Watches {
 public:
  // Blocks behind `begin`, up to and with `end`.
  void set(uint32_t slot, uint32_t begin, uint32_t end, uint32_t kinds) {
    watches_[slot % watches_.size()] = {(uint64_t{begin} + 1) * 32, (uint64_t{end} + 1) * 32, kinds};
    any_ = false;
    for (const Watch& w : watches_) any_ = any_ || w.kinds != 0;
  }
  bool any() const { return any_; }
  const std::array<Watch, 8>& all() const { return watches_; }

 private:
  std::array<Watch, 8> watches_{};
  bool any_ = false;
};

}  // namespace akrt
