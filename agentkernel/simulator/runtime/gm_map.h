// Maps the kernel's arguments into this process, between guard pages.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "launch_file.h"
#include "regions.h"

namespace akrt {

// Maps the arguments as PROTOCOL.md says and registers what has memory; their addresses in order. Throws RunnerError.
// `before_output` is called before each output is mapped.
std::vector<void*> map_arguments(Regions& regions, const std::vector<GmArgument>& arguments,
                                 const std::function<void()>& before_output);

// Which region has `address` in its guard pages (or in its mapping), or null.
const Region* region_near(const Regions& regions, uint64_t address);

}  // namespace akrt
