// expect: forbidden-symbol compile-error syntax unknown-name no-kernel-entry
// The launcher inside of an anonymous namespace.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
}
namespace {
void nothing()
{
}
