// Vector clocks: how many instructions of each pipe are known to be complete, on one core and on all of a launch.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "akrt/abi.h"

namespace akrt {

struct VClock {
  std::array<uint32_t, 8> tick{};  // one per pipe; 8 so that a join is one vector maximum

  uint32_t& operator[](Pipe p) { return tick[static_cast<size_t>(p)]; }
  uint32_t operator[](Pipe p) const { return tick[static_cast<size_t>(p)]; }

  void join(const VClock& other) {
    for (size_t i = 0; i < tick.size(); ++i) tick[i] = std::max(tick[i], other.tick[i]);
  }
};

// What one core knows of every core of the launch, by core. It only grows; `version` counts how often it did.
struct Knowledge {
  uint32_t version = 0;
  std::vector<VClock> cores;
};
using KnowledgePtr = std::shared_ptr<const Knowledge>;

// What is known to be complete at some place in a core's program. Most kernels never learn of other cores.
struct Known {
  VClock own;
  KnowledgePtr others;

  void join(const Known& other) {
    own.join(other.own);
    // Two snapshots of one core's knowledge: the later holds all of the earlier.
    if (other.others != nullptr && (others == nullptr || others->version < other.others->version)) others = other.others;
  }
  // Whether the instruction `tick` of another core's pipe is known to be complete.
  bool of_core(uint32_t core, Pipe pipe, uint32_t tick) const {
    return others != nullptr && core < others->cores.size() && others->cores[core][pipe] >= tick;
  }
};

// What a set flag hands to the one who waits for it.
struct Token {
  Known known;
  double time = 0;
};

}  // namespace akrt
