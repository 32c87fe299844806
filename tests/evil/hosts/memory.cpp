// expect: host-memory-limit
// Memory without end.
// category: resources
#include "honest.h"
#include <vector>
static ge::graphStatus Tiling(gert::TilingContext* context)
{
    std::vector<std::vector<char>> kept;
    for (;;) kept.emplace_back(64 << 20, 1);
    return Honest(context);
}
OPERATOR(Tiling)
