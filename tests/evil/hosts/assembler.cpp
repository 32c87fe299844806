// expect: host-forbidden-cpp
// Assembler.
// category: compiler
#include "honest.h"
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    asm("nop");
    return Honest(context);
}
OPERATOR(Tiling)
