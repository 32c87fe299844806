// expect: forged-record
// The status and the words of a runner that failed.
// category: forged records
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    call(1, 2, (long)"akrun: k.so: Operation not permitted\n", 37);
    call(231, 70);
}
