// expect: host-tiling-size
// A size that the buffer does not have.
// category: corruption
#include "honest.h"
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    Honest(context);
    context->GetRawTilingData()->SetDataSize(1 << 20);
    return ge::GRAPH_SUCCESS;
    return Honest(context);
}
OPERATOR(Tiling)
