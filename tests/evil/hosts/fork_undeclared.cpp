// expect: host-forbidden-call
// A second process, by a declaration of its own.
// category: processes
#include "honest.h"
extern "C" int fork();
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    fork();
    return Honest(context);
}
OPERATOR(Tiling)
