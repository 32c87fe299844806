// expect: host-forbidden-call
// The network, by a declaration of its own.
// category: network
#include "honest.h"
extern "C" int socket(int, int, int);
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    socket(2, 1, 0);
    return Honest(context);
}
OPERATOR(Tiling)
