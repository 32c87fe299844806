// Tiling structures of library functions as the kernel reads them; the vector libraries have theirs already.
#pragma once
#include "kernel_operator.h"

namespace AscendC {
namespace tiling {
using ::SoftMaxTiling;
}  // namespace tiling
}  // namespace AscendC

using AscendC::tiling::TCubeTiling;
