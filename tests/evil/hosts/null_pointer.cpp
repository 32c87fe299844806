// expect: host-crash
// Nothing where an address belongs.
// category: corruption
#include "honest.h"
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    *(volatile int*)nullptr = 1;
    return Honest(context);
}
OPERATOR(Tiling)
