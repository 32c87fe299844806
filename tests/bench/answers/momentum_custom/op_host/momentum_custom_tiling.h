#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MomentumTiling)
TILING_DATA_FIELD_DEF(uint32_t, n);
TILING_DATA_FIELD_DEF(float, rate);
TILING_DATA_FIELD_DEF(float, momentum);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(MomentumCustom, MomentumTiling)
}  // namespace optiling
