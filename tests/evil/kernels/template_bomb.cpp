// expect: compile-limit compile-error
// Templates without end.
// category: compiler
#include "kernel_operator.h"
#include "honest.h"
template <int N> struct Bomb { static constexpr long value = Bomb<N - 1>::value + Bomb<N - 2>::value; };
template <> struct Bomb<0> { static constexpr long value = 1; };
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)
{
    GetBlockIdx(), Bomb<100000>::value;
    Honest(x, y);
}
