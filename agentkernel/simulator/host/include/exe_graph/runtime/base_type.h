// Types that every context header needs.
#pragma once
#include <cstdint>

#include "graph/types.h"

using UINT32 = uint32_t;
