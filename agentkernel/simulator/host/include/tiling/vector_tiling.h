// Scratch sizes of vector library functions, in bytes.
#pragma once
#include <cstdint>

#include "graph/tensor.h"

namespace AscendC {

void GetSigmoidMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                             uint32_t& maxValue, uint32_t& minValue);
void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t srcTypeSize, const uint32_t accTypeSize,
                          const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);

}  // namespace AscendC
