// expect: forbidden-syscall
// A file outside of the run.
// category: files
#include "honest.h"
#include <fstream>
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    std::ofstream("/dev/shm/agentkernel-evil") << 1;
    return Honest(context);
}
OPERATOR(Tiling)
