// Sum of 30000 floats (469 repeats with the padding) on one core: load, reduce, store. HALVES: add the upper half to the
// lower one until one repeat is left; else WholeReduceSum until one value is left.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void sum(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
  constexpr uint32_t kRepeats = 469;
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer((__gm__ float*)x);
  gy.SetGlobalBuffer((__gm__ float*)y);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out;
  TBuf<QuePosition::VECCALC> scratch;
  pipe.InitBuffer(in, 1, kRepeats * 256);
  pipe.InitBuffer(out, 1, 256);
  pipe.InitBuffer(scratch, 2048 + 256);
  LocalTensor<float> a = in.AllocTensor<float>();
  DataCopy(a, gx, kRepeats * 64);
  in.EnQue(a);
  a = in.DeQue<float>();
  LocalTensor<float> c = out.AllocTensor<float>();
  Duplicate(c, 0.0f, 64);
  PipeBarrier<PIPE_V>();
#if HALVES
  for (uint32_t n = kRepeats; n > 1; n = (n + 1) / 2) {
    const uint32_t half = (n + 1) / 2;
    Add(a, a, a[half * 64], (n - half) * 64);
    PipeBarrier<PIPE_V>();
  }
  WholeReduceSum(c, a, 64, 1, 1, 1, 8);
#else
  LocalTensor<float> b = scratch.Get<float>();
  Duplicate(b, 0.0f, 576);
  PipeBarrier<PIPE_V>();
  WholeReduceSum(b, a, 64, 255, 1, 1, 8);
  WholeReduceSum(b[256], a[255 * 64], 64, kRepeats - 255, 1, 1, 8);
  PipeBarrier<PIPE_V>();
  WholeReduceSum(a, b, 64, 8, 1, 1, 8);
  PipeBarrier<PIPE_V>();
  WholeReduceSum(c, a, 8, 1, 1, 1, 8);
#endif
  out.EnQue(c);
  c = out.DeQue<float>();
  DataCopy(gy, c, 64);
  out.FreeTensor(c);
  in.FreeTensor(a);
}
