// COUNT products of 128 x N x 64 halves into one result; the operands are constants.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void products(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  LocalTensor<half> a(TPosition::A2, 0, 128 * 64), b(TPosition::B2, 0, 64 * N);
  LocalTensor<float> c(TPosition::CO1, 0, 128 * N);
  InitConstValue(a, InitConstValueParams<half>(1, 128 * 64 / 256, 0, (half)1));
  InitConstValue(b, InitConstValueParams<half>(1, 64 * N / 256, 0, (half)1));
  SetFlag<HardEvent::MTE1_M>(0);
  WaitFlag<HardEvent::MTE1_M>(0);
  MmadParams p;
  p.m = 128, p.n = N, p.k = 64;
  for (uint32_t i = 0; i < COUNT; ++i) {
    p.cmatrixInitVal = i == 0;
    Mmad(c, a, b, p);
  }
}
