// The tiling side of the library functions.
#pragma once
#include "tiling/matmul_tiling.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/softmax_tiling.h"
#include "tiling/vector_tiling.h"
