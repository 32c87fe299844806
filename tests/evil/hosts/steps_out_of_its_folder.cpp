// expect: host-forbidden-include
// A header that is none of its files.
// category: files
#include "honest.h"
#include "../../../../etc/passwd"
static ge::graphStatus Tiling(gert::TilingContext* context)
{

    return Honest(context);
}
OPERATOR(Tiling)
