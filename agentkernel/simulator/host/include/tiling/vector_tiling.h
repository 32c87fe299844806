// Scratch sizes and tilings of the vector libraries.
#pragma once
#include "tiling/element_tiling.h"
#include "tiling/normalization_tiling.h"
#include "tiling/row_tiling.h"
#include "tiling/transform_tiling.h"
