// expect: host-time-limit
// Time.
// category: resources
#include "honest.h"
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    for (volatile int i = 0;; ++i) {}
    return Honest(context);
}
OPERATOR(Tiling)
