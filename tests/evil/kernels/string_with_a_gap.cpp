// expect: forbidden-cpp
// A literal that ends elsewhere for a hasty reader: the compiler joins lines behind a blank, too.
// category: compiler
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    const char* a = "\ 
"; asm("syscall"); const char* b = "";
    Honest(x, y);
}
