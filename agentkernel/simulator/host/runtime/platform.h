// The chip of this run.
#pragma once
#include "platform/platform_infos_def.h"

namespace akhost {

// One per process: PlatformAscendCManager reaches it from anywhere.
fe::PlatFormInfos& platform();

}  // namespace akhost
