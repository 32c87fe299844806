// expect: host-forbidden-include
// The network.
// category: network
#include "honest.h"
#include <sys/socket.h>
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    socket(2, 1, 0);
    return Honest(context);
}
OPERATOR(Tiling)
