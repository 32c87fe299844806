// expect: host-forbidden-include
// A second process.
// category: processes
#include "honest.h"
#include <unistd.h>
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    if (fork() == 0) for (;;) {}
    return Honest(context);
}
OPERATOR(Tiling)
