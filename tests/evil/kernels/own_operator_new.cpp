// expect: forbidden-cpp
// Its own allocation is nobody else's.
// category: compiler
#include "kernel_operator.h"
#include "honest.h"
void* operator new(std::size_t size, void* place) noexcept;
void* operator new(std::size_t) { return nullptr; }
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
}
