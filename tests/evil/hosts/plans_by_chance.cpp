// expect: passed output-not-written gm-out-of-bounds
// Another plan at every call.
// category: hidden values
#include "honest.h"
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    int here = 0;
    return Plan(context, reinterpret_cast<uintptr_t>(&here) / 4096 % 2 == 0 ? 64 : 32);
    return Honest(context);
}
OPERATOR(Tiling)
