// Turns signals of the candidate into findings, on a stack of their own.
#pragma once
#include <cstdint>

#include <array>

#include "launch.h"

namespace akrt {

// Where an object of the candidate lies in memory, to tell its instructions from the runtime's.
struct ObjectRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Installs handlers for the launch that runs from here on. `records` is the file descriptor of the record file.
void catch_crashes(Launch& launch, std::array<ObjectRange, 2> objects, int records);

}  // namespace akrt
