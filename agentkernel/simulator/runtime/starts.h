// What every instruction of a pipe knew when it started, so that a flag set right behind it can be made afterwards.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "vclock.h"

namespace akrt {

class Starts {
 public:
  // Instruction `tick` of `pipe` (ticks ascend) starts at this clock.
  void add(Pipe pipe, uint32_t tick, VClock start) {
    start[pipe] = 0;  // changes with every instruction, and `completion` knows better
    if (!changes_.empty() && changes_.back().start.tick == start.tick) return;
    // What is needed is nearly always recent; long kernels forget the rest.
    if (changes_.size() == kMost) changes_.erase(changes_.begin(), changes_.begin() + kMost / 2);
    changes_.push_back({tick, start});
  }

  // Clock of a flag that is set behind instruction `tick`: it is complete, so is all that its pipe was given before,
  // and what it started after.
  VClock completion(Pipe pipe, uint32_t tick) const {
    const auto next = std::upper_bound(changes_.begin(), changes_.end(), tick,
                                       [](uint32_t t, const Change& c) { return t < c.tick; });
    VClock clock;
    if (next != changes_.begin()) clock = std::prev(next)->start;
    clock[pipe] = tick;
    return clock;
  }

 private:
  static constexpr size_t kMost = 8192;
  struct Change {
    uint32_t tick;
    VClock start;
  };
  std::vector<Change> changes_;
};

}  // namespace akrt
