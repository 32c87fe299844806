// expect: forbidden-symbol crash
// Code that can be changed.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
__attribute__((section(".text.open,\"awx\",@progbits#"))) unsigned char code[64] = {1};
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    code[GetBlockIdx()] = 0xc3;
    Honest(x, y);
}
