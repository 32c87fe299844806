// The formula behind each elementwise library function.
#pragma once
#include "lib_steps.h"

namespace akrt::lib {

struct Formula {
  // The second operand is what the function reads besides x (a second source, the destination), or x itself.
  Vec (*f)(const Vec& x, const Vec& y, float scalar) = nullptr;
  bool in_float = false;    // half is widened first and rounded once at the end
  bool takes_tmp = true;
  bool in_place = false;    // dst may be src
  uint32_t least_tmp = 32;  // bytes, where a minimum is documented
};

const Formula& formula(LibOp op);

}  // namespace akrt::lib
