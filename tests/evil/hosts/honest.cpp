// expect: passed
// The operator that the hostile ones are compared with.
// category: honest
#include "honest.h"
static ge::graphStatus Tiling(gert::TilingContext* context)
{

    return Honest(context);
}
OPERATOR(Tiling)
