#include "kernel_operator.h"

extern "C" __global__ __aicore__ void mix_state(GM_ADDR inputs, GM_ADDR gamma, GM_ADDR state, GM_ADDR outputs,
                                                GM_ADDR state_ref, GM_ADDR scratch, GM_ADDR workspace, GM_ADDR tiling)
{
}
