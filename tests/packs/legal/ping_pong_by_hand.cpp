// Double buffering with two TBufs halves and four flags, without a queue.
// fact: semantics 6
// in x: float32 192 = ramp
// out z: float32 192 = x + 1

#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z, GM_ADDR workspace)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer((__gm__ float*)x, 192);
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float*)z, 192);

    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 256);
    LocalTensor<float> half0 = buf.GetWithOffset<float>(32, 0);
    LocalTensor<float> half1 = buf.GetWithOffset<float>(32, 128);
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);
    for (int i = 0; i < 6; ++i) {
        LocalTensor<float> t = i % 2 == 0 ? half0 : half1;
        event_t id = i % 2 == 0 ? EVENT_ID0 : EVENT_ID1;
        WaitFlag<HardEvent::MTE3_MTE2>(id);
        DataCopy(t, xGm[i * 32], 32);
        SetFlag<HardEvent::MTE2_V>(id);
        WaitFlag<HardEvent::MTE2_V>(id);
        Adds(t, t, 1.0f, 32);
        SetFlag<HardEvent::V_MTE3>(id);
        WaitFlag<HardEvent::V_MTE3>(id);
        DataCopy(zGm[i * 32], t, 32);
        SetFlag<HardEvent::MTE3_MTE2>(id);
    }
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID1);
}
