// expect: forged-record
// A second start.
// category: forged records
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
    const char start[] = "{\"t\":\"start\"}\n";
    for (int file = 3; file < 12; ++file) call(1, file, (long)start, sizeof(start) - 1);
}
