// expect: host-crash
// More tiling data than the buffer holds.
// category: corruption
#include "honest.h"
#include <cstring>
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    memset(context->GetRawTilingData()->GetData(), 1, context->GetRawTilingData()->GetCapacity() + 4096);
    return Honest(context);
}
OPERATOR(Tiling)
