// One vector instruction again and again on chosen UB addresses. ROUNDS instructions of REPEATS repeats.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void banks(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 184 * 1024);
  LocalTensor<float> ub = buffer.Get<float>();
  Duplicate(ub, 1.0f, 184 * 1024 / 4);
  PipeBarrier<PIPE_V>();
  LocalTensor<float> dst = ub[DST / 4], src0 = ub[SRC0 / 4], src1 = ub[SRC1 / 4];
  for (uint32_t i = 0; i < ROUNDS; ++i) {
#if TWO
    Add(dst, src0, src1, (uint64_t)64, REPEATS, {1, SRC0_BLOCK, 1, 8, SRC0_REPEAT, 8});
#else
    Adds(dst, src0, 1.0f, (uint64_t)64, REPEATS, {1, SRC0_BLOCK, 8, SRC0_REPEAT});
#endif
  }
}
