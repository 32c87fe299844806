// expect: host-forbidden-call
// Another program, by the C library.
// category: processes
#include "honest.h"
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    system("id");
    return Honest(context);
}
OPERATOR(Tiling)
