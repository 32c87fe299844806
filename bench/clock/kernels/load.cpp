// Loads of a 12288 x 12288 half matrix into UB, nothing waits for them. A core owns ROWS rows and takes COUNT tiles of
// PIECES rows x WIDTH columns from them, row of tiles by row of tiles.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void load(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
  constexpr uint32_t kColumns = 12288, kRowsOfCore = ROWS, kAcross = kColumns / WIDTH;
  GlobalTensor<half> gx;
  gx.SetGlobalBuffer((__gm__ half*)x);
  TPipe pipe;
  TBuf<QuePosition::VECIN> buffer;
  pipe.InitBuffer(buffer, PIECES * WIDTH * sizeof(half));
  LocalTensor<half> tile = buffer.Get<half>();
  const uint64_t first = (uint64_t)GetBlockIdx() * kRowsOfCore * kColumns;
  const DataCopyParams rows{PIECES, WIDTH * sizeof(half) / 32, (kColumns - WIDTH) * sizeof(half) / 32, 0};
  for (uint32_t t = 0; t < COUNT; ++t)
    DataCopy(tile, gx[first + (uint64_t)(t / kAcross) * PIECES * kColumns + t % kAcross * WIDTH], rows);
}
