// expect: gm-out-of-bounds
// A plan for more than the tensor.
// category: corruption
#include "honest.h"
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    return Plan(context, 72);
    return Honest(context);
}
OPERATOR(Tiling)
