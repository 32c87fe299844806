// expect: harness-access forbidden-cpp
// The list of legal dtypes, with one more.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
namespace AscendC {
namespace akc {
template <>
inline constexpr bool kOneOf<int8_t, half, float, int16_t, int32_t> = true;
}
}
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
}
