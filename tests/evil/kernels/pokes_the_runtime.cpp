// expect: harness-access
// Takes an address of the simulator from its own stack and stores there what was there.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
    auto* frame = (volatile uint64_t*)__builtin_frame_address(0);
    for (int i = 0; i < 256; ++i) {
        const uint64_t word = frame[i];
        if ((word >> 40 == 0x55 || word >> 40 == 0x56) && word % 16 == 0) {
            auto* place = (volatile uint64_t*)word;
            *place = *place;
        }
    }
}
