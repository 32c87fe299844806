// Scratch sizes and tilings of the vector libraries.
#pragma once
#include "tiling/normalization_tiling.h"
#include "tiling/transform_tiling.h"

namespace AscendC {

void GetSigmoidMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                             uint32_t& maxValue, uint32_t& minValue);
void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t srcTypeSize, const uint32_t accTypeSize,
                          const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);

}  // namespace AscendC
