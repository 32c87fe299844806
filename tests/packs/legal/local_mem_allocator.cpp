// LocalMemAllocator in its template and run-time forms.
// fact: semantics 5
// in x: float32 64 = ramp
// out z: float32 64 = x + 544
// out w: int32 8 = full(8, 544)

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR w, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 64);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 64);
    GlobalTensor<int32_t> wGm;
    wGm.SetGlobalBuffer((__gm__ int32_t*)w, 8);

    InitSocState();
    LocalMemAllocator<Hardware::UB> allocator;
    LocalTensor<float> a = allocator.Alloc<TPosition::VECIN, float, 64>();
    LocalTensor<float> b = allocator.Alloc<float>(64);
    LocalTensor<int32_t> c = allocator.Alloc<int32_t, 8>();
    const uint32_t used = allocator.GetCurAddr();
    DataCopy(a, xGm, 64);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(b, a, static_cast<float>(used), 64);
    Duplicate(c, static_cast<int32_t>(used), 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(zGm, b, 64);
    DataCopy(wGm, c, 8);
    PipeBarrier<PIPE_ALL>();
}
