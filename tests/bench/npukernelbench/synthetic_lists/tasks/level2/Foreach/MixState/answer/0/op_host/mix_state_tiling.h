#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MixStateTilingData)
TILING_DATA_FIELD_DEF(int64_t, factor);
TILING_DATA_FIELD_DEF(uint32_t, adds);
TILING_DATA_FIELD_DEF(uint32_t, hasGamma);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(MixState, MixStateTilingData)
}
