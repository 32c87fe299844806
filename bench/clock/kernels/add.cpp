// z = x + y tile by tile, one buffer a queue. BYPASS: the inputs are not kept in L2. SCALAR: element by element.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace) {
  GlobalTensor<half> gx, gy, gz;
  gx.SetGlobalBuffer((__gm__ half*)x);
  gy.SetGlobalBuffer((__gm__ half*)y);
  gz.SetGlobalBuffer((__gm__ half*)z);
#if BYPASS
  gx.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
  gy.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
#endif
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> inX, inY;
  TQue<QuePosition::VECOUT, 1> outZ;
  pipe.InitBuffer(inX, 1, TILE * sizeof(half));
  pipe.InitBuffer(inY, 1, TILE * sizeof(half));
  pipe.InitBuffer(outZ, 1, TILE * sizeof(half));
  for (uint32_t t = GetBlockIdx(); t < COUNT; t += GetBlockNum()) {
    const uint64_t at = (uint64_t)t * TILE;
    LocalTensor<half> a = inX.AllocTensor<half>();
    LocalTensor<half> b = inY.AllocTensor<half>();
    DataCopy(a, gx[at], TILE);
    DataCopy(b, gy[at], TILE);
    inX.EnQue(a);
    inY.EnQue(b);
    a = inX.DeQue<half>();
    b = inY.DeQue<half>();
    LocalTensor<half> c = outZ.AllocTensor<half>();
#if SCALAR
    for (uint32_t i = 0; i < TILE; ++i) c.SetValue(i, (half)((float)a.GetValue(i) + (float)b.GetValue(i)));
#else
    Add(c, a, b, TILE);
#endif
    outZ.EnQue(c);
    inX.FreeTensor(a);
    inY.FreeTensor(b);
    c = outZ.DeQue<half>();
    DataCopy(gz[at], c, TILE);
    outZ.FreeTensor(c);
  }
}
