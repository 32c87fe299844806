// expect: forged-record
// An end record before the true one.
// category: forged records
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
    const char end[] = "{\"t\":\"end\",\"completed\":true,\"instructions\":1}\n";
    for (int file = 3; file < 12; ++file) call(1, file, (long)end, sizeof(end) - 1);
}
