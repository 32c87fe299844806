// The matrix library.
#pragma once
#include "kernel_operator.h"
#include "lib/matrix/matmul/tiling.h"

namespace matmul {
using namespace AscendC;
}  // namespace matmul
