// expect: forbidden-syscall
// A file outside of the run.
// category: files
#include "kernel_operator.h"
#include "honest.h"
#include "syscall.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    call(257, -100, (long)"/dev/shm/agentkernel-evil", 0101, 0777);
}
