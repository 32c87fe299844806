// expect: forbidden-cpp
// The same, put together by the preprocessor.
// category: corrupting the harness
#include "kernel_operator.h"
#include "honest.h"
#define JOIN(a, b) a##b
namespace AscendC {
namespace JOIN(ak, c) {
template <>
inline constexpr bool kOneOf<int8_t, half, float, int16_t, int32_t> = true;
}
}
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    Honest(x, y);
}
