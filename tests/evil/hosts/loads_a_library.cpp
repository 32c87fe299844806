// expect: host-forbidden-call
// Another library.
// category: compiler
#include "honest.h"
extern "C" void* dlopen(const char*, int);
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    dlopen("libc.so.6", 1);
    return Honest(context);
}
OPERATOR(Tiling)
