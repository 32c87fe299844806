// expect: host-exception
// An exception that nobody catches.
// category: corruption
#include "honest.h"
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    throw 1;
    return Honest(context);
}
OPERATOR(Tiling)
