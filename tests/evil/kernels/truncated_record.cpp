// expect: forbidden-syscall
// The start record, taken back.
// category: forged records
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    for (int file = 3; file < 12; ++file) call(77, file, 0);
    Honest(x, y);
}
