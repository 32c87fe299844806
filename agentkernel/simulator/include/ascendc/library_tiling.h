// Tiling structures of the libraries are spelled without a namespace in programs.
#pragma once
#include "shared/tiling_structs.h"

#define AK_GLOBAL(Name) using AscendC::tiling::Name;
AK_TILINGS(AK_GLOBAL)
#undef AK_GLOBAL
