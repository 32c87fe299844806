// Vector clock over the pipes of one core: how many instructions of each pipe are known to be complete.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

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

}  // namespace akrt
