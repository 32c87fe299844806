// Integer division by zero: the chip's scalar unit goes on with some value, the host's processor traps.
#pragma once
#include <ucontext.h>

namespace akrt {

// Puts values that nobody counts on where a trapped division would have left its results (all ones for the quotient,
// the dividend for the remainder) and goes on behind it. False where the instruction is no division.
bool step_over_division(ucontext_t* context);

}  // namespace akrt
