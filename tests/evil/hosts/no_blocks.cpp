// expect: host-block-dim
// A launch without blocks.
// category: resources
#include "honest.h"
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    Honest(context);
    context->SetBlockDim(0);
    return ge::GRAPH_SUCCESS;
    return Honest(context);
}
OPERATOR(Tiling)
