// Sums of 256 floats by instructions that each wait for the one before, COUNT times. STEPS: what they are, B for
// BlockReduceSum and W for WholeReduceSum.
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ inline uint32_t Block(LocalTensor<float> dst, LocalTensor<float> src, uint32_t n) {
  const int32_t repeats = (n + 63) / 64;
  BlockReduceSum(dst, src, repeats, (int32_t)(n < 64 ? n : 64), 1, 1, 8);
  PipeBarrier<PIPE_V>();
  return (n + 7) / 8;
}

__aicore__ inline uint32_t Whole(LocalTensor<float> dst, LocalTensor<float> src, uint32_t n) {
  const int32_t repeats = (n + 63) / 64;
  WholeReduceSum(dst, src, (int32_t)(n < 64 ? n : 64), repeats, 1, 1, 8);
  PipeBarrier<PIPE_V>();
  return repeats;
}

extern "C" __global__ __aicore__ void reduce(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 4096);
  LocalTensor<float> data = buffer.Get<float>();
  Duplicate(data, 1.0f, 1024);
  PipeBarrier<PIPE_V>();
  const char steps[] = STEPS;
  for (uint32_t i = 0; i < COUNT; ++i) {
    uint32_t n = 256;
    LocalTensor<float> from = data;
    for (uint32_t s = 0; s + 1 < sizeof(steps); ++s) {
      LocalTensor<float> to = data[512 + 64 * s];
      n = steps[s] == 'B' ? Block(to, from, n) : Whole(to, from, n);
      from = to;
    }
  }
}
