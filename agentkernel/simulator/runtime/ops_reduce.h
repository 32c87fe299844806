// Steps that the reductions of a repeat and the complete reductions share.
#pragma once
#include "ops.h"

namespace akrt::ops {

// Sum of n (a power of two) elements as a binary tree over adjacent pairs, rounded to half at every node if `half`.
// Destroys x.
float tree_sum(float* x, uint32_t n, bool half, bool saturate);
float add_rounded(float a, float b, bool half, bool saturate);

struct Extreme {
  float value = 0;
  uint32_t index = 0;
  bool any = false;
  bool nan = false;
};
Extreme extreme(const float* x, uint32_t n, const Lanes& lanes, bool maximum);

// One repeat of a half or float operand, widened to float.
void load_repeat(float* x, const uint8_t* ub, const Operand& src, uint32_t repeat, const Lanes& lanes, uint32_t n);
// Takes the other lanes out of a sum.
void mute(float* x, uint32_t n, const Lanes& lanes);
void store_value(uint8_t* at, float value, bool half);

}  // namespace akrt::ops
