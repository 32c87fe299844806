// Tiling structures of library functions as the kernel reads them.
#pragma once
#include <cstdint>

#include "shared/cube_tiling.h"
#include "shared/tiling_structs.h"
