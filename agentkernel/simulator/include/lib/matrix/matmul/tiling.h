// Tiling structures of the matrix library, as kernels read them.
#pragma once
#include "kernel_tiling/kernel_tiling.h"
