#ifndef SCALE_H
#define SCALE_H

#include "kernel_operator.h"
#include "sizes.h"

template <typename T>
class Scale {
public:
    __aicore__ inline void Process(GM_ADDR x, GM_ADDR z, uint32_t n)
    {
        using namespace AscendC;
        GlobalTensor<T> in;
        GlobalTensor<T> out;
        in.SetGlobalBuffer((__gm__ T*)x, n);
        out.SetGlobalBuffer((__gm__ T*)z, n);
        TPipe pipe;
        TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
        pipe.InitBuffer(queue, 1, n * sizeof(T));
        LocalTensor<T> t = queue.AllocTensor<T>();
        DataCopy(t, in, n);
        queue.template EnQue<TPosition::GM, TPosition::VECIN, T>(t);
        t = queue.template DeQue<TPosition::GM, TPosition::VECIN, T>();
        Muls(t, t, static_cast<T>(sizes::kFactor), n);
        queue.template EnQue<TPosition::VECOUT, TPosition::GM, T>(t);
        t = queue.template DeQue<TPosition::VECOUT, TPosition::GM, T>();
        DataCopy(out, t, n);
        queue.FreeTensor(t);
    }
};

#endif
