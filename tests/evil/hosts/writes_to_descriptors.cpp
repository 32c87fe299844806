// expect: host-exited
// Whatever is open.
// category: forged records
#include "honest.h"
extern "C" long write(int, const void*, unsigned long);
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    for (int file = 3; file < 16; ++file) write(file, "{}\n", 3);
    return Honest(context);
}
OPERATOR(Tiling)
