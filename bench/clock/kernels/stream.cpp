// Loads of TILE halves in a row by every core, nothing waits for them. PASSES: how often the whole of COUNT tiles is
// read. SAME: all cores read the same tiles. OFFSET: halves by which the first address misses a 512-byte boundary.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void stream(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
  GlobalTensor<half> gx;
  gx.SetGlobalBuffer((__gm__ half*)x);
  TPipe pipe;
  TBuf<QuePosition::VECIN> buffer;
  pipe.InitBuffer(buffer, TILE * sizeof(half));
  LocalTensor<half> tile = buffer.Get<half>();
  for (uint32_t pass = 0; pass < PASSES; ++pass)
    for (uint32_t t = SAME ? 0 : GetBlockIdx(); t < COUNT; t += SAME ? 1 : GetBlockNum())
      DataCopy(tile, gx[(uint64_t)t * TILE + OFFSET], TILE);
}
