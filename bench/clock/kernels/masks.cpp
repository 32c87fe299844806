// 180 Adds of 4096 floats. COUNTED: in the count form, which sets and restores the mask; else under one mask for all.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void masks(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 65536);
  LocalTensor<float> ub = buffer.Get<float>();
  Duplicate(ub, 1.0f, 16384);
  PipeBarrier<PIPE_V>();
  SetVectorMask<float, MaskMode::NORMAL>(0, ~0ull);
  for (uint32_t i = 0; i < 180; ++i) {
#if COUNTED
    Add(ub[8192], ub, ub[4096], 4096);
#else
    Add<float, false>(ub[8192], ub, ub[4096], MASK_PLACEHOLDER, 64, {1, 1, 1, 8, 8, 8});
#endif
  }
}
