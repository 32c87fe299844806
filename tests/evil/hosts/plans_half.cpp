// expect: output-not-written
// A plan for half of the tensor.
// category: missing outputs
#include "honest.h"
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    return Plan(context, 32);
    return Honest(context);
}
OPERATOR(Tiling)
