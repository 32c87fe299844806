// expect: host-block-dim
// More blocks than anybody has.
// category: resources
#include "honest.h"
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    Honest(context);
    context->SetBlockDim(4000000000u);
    return ge::GRAPH_SUCCESS;
    return Honest(context);
}
OPERATOR(Tiling)
