// expect: output-not-written numeric-mismatch
// A plan for the size that it was tried with.
// category: shape-specific answers
#include "honest.h"
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    const uint32_t count = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    return Plan(context, count == 64 ? 64 : 8);
    return Honest(context);
}
OPERATOR(Tiling)
