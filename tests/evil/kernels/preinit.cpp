// expect: static-initialiser forbidden-symbol
// The same through a section.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
void early() {}
__attribute__((section(".init_array"), used)) void (*entry)() = early;
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
}
