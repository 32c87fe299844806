// Structures by value in and out of functions, with default members.
// fact: C++11
// in x: float32 64 = ramp
// out z: float32 64 = x * 2

#include "kernel_operator.h"

using namespace AscendC;

struct Tile {
    uint32_t count = 1;
    uint32_t length = 0;
    uint32_t offset = 0;
};

__aicore__ inline Tile Split(uint32_t n, uint32_t parts)
{
    Tile tile;
    tile.count = parts;
    tile.length = n / parts;
    return tile;
}

__aicore__ inline void Double(LocalTensor<float>& z, LocalTensor<float>& x, Tile tile)
{
    Add(z[tile.offset], x[tile.offset], x[tile.offset], tile.length);
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> xQueue;
    TQue<TPosition::VECOUT, 1> zQueue;
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);
    pipe.InitBuffer(xQueue, 1, 64 * sizeof(float));
    pipe.InitBuffer(zQueue, 1, 64 * sizeof(float));

    LocalTensor<float> xLocal = xQueue.AllocTensor<float>();
    DataCopy(xLocal, xGm, 64);
    xQueue.EnQue(xLocal);
    xLocal = xQueue.DeQue<float>();
    LocalTensor<float> zLocal = zQueue.AllocTensor<float>();

    Tile tile = Split(64, 2);
    for (uint32_t i = 0; i < tile.count; ++i) {
        tile.offset = i * tile.length;
        Double(zLocal, xLocal, tile);
    }

    zQueue.EnQue(zLocal);
    zLocal = zQueue.DeQue<float>();
    DataCopy(zGm, zLocal, 64);
    xQueue.FreeTensor(xLocal);
    zQueue.FreeTensor(zLocal);
}
