// expect: host-crash
// A stack without end.
// category: resources
#include "honest.h"
static int Deep(volatile int n) { volatile char room[4096]; room[0] = n; return Deep(n + 1) + room[0]; }
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    context->SetBlockDim(Deep(1));
    return Honest(context);
}
OPERATOR(Tiling)
