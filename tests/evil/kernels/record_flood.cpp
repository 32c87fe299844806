// expect: forged-record memory-limit time-limit
// Records without end.
// category: resources
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
char zeros[1 << 20];
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    for (long i = 0; i < 1000; ++i)
        for (int file = 3; file < 12; ++file) call(1, file, (long)zeros, sizeof(zeros));
}
