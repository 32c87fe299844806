// What printf of a kernel writes: only conversions that are known, with values whose types are known.
#pragma once
#include <cstdint>
#include <string>

#include "akrt/abi.h"

namespace akrt {

std::string printed(const char* format, const PrintValue* values, uint32_t count);

}  // namespace akrt
