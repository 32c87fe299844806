// Loads of a 12288 x 12288 half matrix into L1, rows to columns of blocks; nothing waits for them. A core owns ROWS rows
// and takes COUNT tiles of 64 rows x WIDTH columns from them, row of tiles by row of tiles.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void load_nz(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  constexpr uint32_t kColumns = 12288, kTileRows = 64, kAcross = kColumns / WIDTH;
  GlobalTensor<half> gx;
  gx.SetGlobalBuffer((__gm__ half*)x);
  LocalTensor<half> tile(TPosition::A1, 0, kTileRows * WIDTH);
  const uint64_t first = (uint64_t)GetBlockIdx() * ROWS * kColumns;
  const Nd2NzParams rows(1, kTileRows, WIDTH, 0, kColumns, kTileRows, 1, 0);
  for (uint32_t t = 0; t < COUNT; ++t)
    DataCopy(tile, gx[first + (uint64_t)(t / kAcross) * kTileRows * kColumns + t % kAcross * WIDTH], rows);
}
