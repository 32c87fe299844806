// Maps the kernel's arguments into this process, between guard pages.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "launch_file.h"
#include "regions.h"

namespace akrt {

// Maps the arguments as PROTOCOL.md says and registers what has memory; their addresses in order. Throws RunnerError.
std::vector<void*> map_arguments(Regions& regions, const std::vector<GmArgument>& arguments);

// Which region has `address` in its guard pages (or in its mapping), or null.
const Region* region_near(const Regions& regions, uint64_t address);

}  // namespace akrt
