// Vector library functions that exist on Atlas A2 and are not simulated: a call compiles and stops with
// `unsupported-api`. Written from the API index by `python -m agentkernel.simulator.unsupported`.
#pragma once
#include "ascendc/library.h"

// clang-format off

namespace AscendC {

}  // namespace AscendC
// clang-format on
