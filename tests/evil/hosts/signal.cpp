// expect: host-forbidden-call
// A signal to the process that judges.
// category: signals
#include "honest.h"
extern "C" int kill(int, int);
extern "C" int getppid();
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    kill(getppid(), 9);
    return Honest(context);
}
OPERATOR(Tiling)
