// expect: host-workspace
// A workspace larger than the machine.
// category: resources
#include "honest.h"
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    Honest(context);
    context->GetWorkspaceSizes(1)[0] = size_t{1} << 50;
    return ge::GRAPH_SUCCESS;
    return Honest(context);
}
OPERATOR(Tiling)
