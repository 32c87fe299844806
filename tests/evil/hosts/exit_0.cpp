// expect: host-exited
// Ends before it has answered.
// category: forged records
#include "honest.h"
#include <cstdlib>
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    exit(0);
    return Honest(context);
}
OPERATOR(Tiling)
