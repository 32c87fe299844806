// expect: host-crash
// Code that runs when it is loaded.
// category: corruption
#include "honest.h"
#include <cstdlib>
struct Early { Early() { abort(); } };
static Early early;
static ge::graphStatus Tiling(gert::TilingContext* context)
{

    return Honest(context);
}
OPERATOR(Tiling)
