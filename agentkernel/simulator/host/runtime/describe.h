// Writes what an object registered as records.
#pragma once
#include "records.h"

namespace akhost {

// One record per operator and one per structure of tiling data.
void describe(const Records& records);

}  // namespace akhost
