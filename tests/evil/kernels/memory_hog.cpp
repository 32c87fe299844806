// expect: out-of-memory crash killed passed
// More memory than there is; asking is all that it can do.
// category: resources
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    for (int i = 0; i < 64; ++i) {
        const long got = call(9, 0, 1L << 30, 3, 0x22);
        if (got > 0)
            for (long at = 0; at < (1L << 30); at += 1L << 24) *(volatile char*)(got + at) = 1;
    }
    Honest(x, y);
}
