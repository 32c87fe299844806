// Maps the kernel's arguments into this process, between guard pages.
#pragma once
#include <cstdint>
#include <string>

#include "launch_file.h"
#include "regions.h"

namespace akrt {

// Maps one argument as PROTOCOL.md says and registers it. Throws RunnerError.
Region& map_argument(Regions& regions, const GmArgument& argument);

// Which region has `address` in its guard pages (or in its mapping), or null.
const Region* region_near(const Regions& regions, uint64_t address);

}  // namespace akrt
