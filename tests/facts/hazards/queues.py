"""What queues order, and queues used as they are meant."""

from __future__ import annotations

from .mistake import QUEUES, Legal, Mistake

_ORDER = "pitfalls 17: a queue is bypassed"

MISTAKES = (
    Mistake(
        "used without EnQue and DeQue",
        _ORDER,
        ("missing-sync",),
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64); //@
        + in.EnQue(t);
        + t = in.DeQue<float>();
        Adds(a, t, 1.0f, 64); //@
        in.FreeTensor(t);
        """,
        setup=QUEUES,
        words=("EnQue", "DeQue"),
    ),
    Mistake(
        "used between EnQue and DeQue",
        _ORDER,
        ("missing-sync",),
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64); //@
        in.EnQue(t);
        - Adds(a, t, 1.0f, 64); //@
        t = in.DeQue<float>();
        + Adds(a, t, 1.0f, 64);
        in.FreeTensor(t);
        """,
        setup=QUEUES,
    ),
    Mistake(
        "copied out before EnQue",
        _ORDER,
        ("missing-sync",),
        """
        LocalTensor<float> t = out.AllocTensor<float>();
        Duplicate(t, 1.0f, 64); //@
        - DataCopy(gz, t, 64); //@
        out.EnQue(t);
        t = out.DeQue<float>();
        + DataCopy(gz, t, 64);
        out.FreeTensor(t);
        """,
        setup=QUEUES,
    ),
    Mistake(
        "written again after EnQue",
        _ORDER,
        ("missing-sync",),
        """
        LocalTensor<float> t = out.AllocTensor<float>();
        Duplicate(t, 1.0f, 64);
        + Adds(t, t, 1.0f, 64);
        out.EnQue(t);
        - Adds(t, t, 1.0f, 64); //@
        t = out.DeQue<float>();
        DataCopy(gz, t, 64); //@
        out.FreeTensor(t);
        """,
        setup=QUEUES,
    ),
    Mistake(
        "input queue copied out",
        "pitfalls 13: data from GM goes through VECIN, a pure copy needs TQueBind<VECIN, VECOUT>",
        ("missing-sync", "illegal-position"),
        """
        TPipe pipe;
        - TQue<TPosition::VECIN, 1> que;
        + TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> que;
        pipe.InitBuffer(que, 1, 256);
        LocalTensor<float> t = que.AllocTensor<float>();
        DataCopy(t, gx, 64); //@
        que.EnQue(t);
        t = que.DeQue<float>();
        DataCopy(gz, t, 64); //@
        que.FreeTensor(t);
        """,
        setup="",
    ),
    Mistake(
        "freed before the use, buffer taken again",
        "pitfalls 7: FreeTensor before the tensor was used",
        ("missing-sync", "wrong-buffer-state"),
        """
        TPipe pipe;
        TQue<TPosition::VECIN, 1> in;
        TBuf<TPosition::VECCALC> buf;
        pipe.InitBuffer(in, 1, 256);
        pipe.InitBuffer(buf, 256);
        LocalTensor<float> a = buf.Get<float>();
        for (int i = 0; i < 2; i++) {
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx[i * 64], 64); //@
        in.EnQue(t);
        t = in.DeQue<float>();
        - in.FreeTensor(t);
        Adds(a, t, 1.0f, 64); //@
        + in.FreeTensor(t);
        }
        """,
        setup="",
    ),
    Mistake(
        "output freed before it is copied",
        "pitfalls 7: FreeTensor before the tensor was used",
        ("missing-sync", "wrong-buffer-state"),
        """
        TPipe pipe;
        TQue<TPosition::VECOUT, 1> out;
        pipe.InitBuffer(out, 1, 256);
        for (int i = 0; i < 2; i++) {
        LocalTensor<float> t = out.AllocTensor<float>();
        Duplicate(t, 1.0f + i, 64); //@
        out.EnQue(t);
        t = out.DeQue<float>();
        - out.FreeTensor(t);
        DataCopy(gz[i * 64], t, 64); //@
        + out.FreeTensor(t);
        }
        """,
        setup="",
    ),
    Mistake(
        "TBuf result copied out beside a queue",
        "pitfalls 12: a TBuf has no queue synchronisation",
        ("missing-sync",),
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64);
        in.EnQue(t);
        t = in.DeQue<float>();
        Adds(a, t, 1.0f, 64); //@
        in.FreeTensor(t);
        + Sync<HardEvent::V_MTE3>();
        DataCopy(gz, a, 64); //@
        """,
        setup=QUEUES,
    ),
)

LEGAL = (
    Legal(
        "double buffering",
        "pitfalls 14: InitBuffer(que, 2, len) with depth 1",
        """
        for (int i = 0; i < 4; i++) {
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx[i * 64], 64);
        in.EnQue(t);
        t = in.DeQue<float>();
        LocalTensor<float> r = out.AllocTensor<float>();
        Adds(r, t, 1.0f, 64);
        out.EnQue(r);
        in.FreeTensor(t);
        r = out.DeQue<float>();
        DataCopy(gz[i * 64], r, 64);
        out.FreeTensor(r);
        }
        """,
        setup=QUEUES,
    ),
    Legal(
        "prefetch with depth 2",
        "semantics 5: depth counts outstanding EnQue calls",
        """
        TPipe pipe;
        TQue<TPosition::VECIN, 2> in;
        TBuf<TPosition::VECCALC> buf;
        pipe.InitBuffer(in, 2, 256);
        pipe.InitBuffer(buf, 256);
        LocalTensor<float> a = buf.Get<float>();
        for (int i = 0; i < 2; i++) {
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx[i * 64], 64);
        in.EnQue(t);
        }
        for (int i = 0; i < 2; i++) {
        LocalTensor<float> t = in.DeQue<float>();
        Adds(a, t, 1.0f, 64);
        in.FreeTensor(t);
        }
        """,
        setup="",
    ),
    Legal(
        "freed without EnQue",
        "pitfalls 7: FreeTensor is legal from OCCUPIED",
        """
        LocalTensor<float> t = out.AllocTensor<float>();
        Duplicate(t, 1.0f, 64);
        out.FreeTensor(t);
        """,
        setup=QUEUES,
    ),
    Legal(
        "enqueued again after DeQue",
        "semantics 5: EnQue from OCCUPIED or DEQUE",
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64);
        in.EnQue(t);
        t = in.DeQue<float>();
        in.EnQue(t);
        t = in.DeQue<float>();
        in.FreeTensor(t);
        """,
        setup=QUEUES,
    ),
    Legal(
        "two tensors in one buffer",
        "pitfalls 1: merge buffers into one queue entry and use offsets",
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 32);
        DataCopy(t[32], gy, 32);
        in.EnQue(t);
        t = in.DeQue<float>();
        Add(a, t, t[32], 32);
        in.FreeTensor(t);
        """,
        setup=QUEUES,
    ),
    Legal(
        "in-place queue",
        "pitfalls 9: depth 0",
        """
        TPipe pipe;
        TQue<TPosition::VECIN, 0> in;
        TBuf<TPosition::VECCALC> buf;
        pipe.InitBuffer(in, 2, 256);
        pipe.InitBuffer(buf, 256);
        LocalTensor<float> a = buf.Get<float>();
        LocalTensor<float> t;
        for (int i = 0; i < 4; i++) {
        in.AllocTensor<float>(t);
        DataCopy(t, gx[i * 64], 64);
        in.EnQue(t);
        in.DeQue<float>(t);
        Adds(a, t, 1.0f, 64);
        in.FreeTensor(t);
        }
        """,
        setup="",
    ),
    Legal(
        "state of a queue",
        "semantics 5: HasTensorInQue, VacantInQue, GetTensorCountInQue, HasIdleBuffer",
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64);
        in.EnQue(t);
        while (in.HasTensorInQue()) {
        t = in.DeQue<float>();
        in.FreeTensor(t);
        }
        if (in.VacantInQue() && in.HasIdleBuffer() && in.GetTensorCountInQue() == 0) Duplicate(a, 1.0f, 64);
        """,
        setup=QUEUES,
    ),
    Legal(
        "events freed for further queues",
        "semantics 5: FreeAllEvent waits for and releases the free-events",
        """
        TPipe pipe;
        TQue<TPosition::VECIN, 1> queues[12];
        for (int i = 0; i < 12; i++) {
        pipe.InitBuffer(queues[i], 1, 256);
        LocalTensor<float> t = queues[i].AllocTensor<float>();
        DataCopy(t, gx, 64);
        queues[i].EnQue(t);
        t = queues[i].DeQue<float>();
        queues[i].FreeTensor(t);
        queues[i].FreeAllEvent();
        }
        """,
        setup="",
    ),
    Legal(
        "second life of a pipe",
        "pitfalls 11: Destroy, then Init",
        """
        TPipe pipe;
        TBuf<TPosition::VECCALC> buf;
        pipe.InitBuffer(buf, 128 * 1024);
        pipe.Destroy();
        pipe.Init();
        TBuf<TPosition::VECCALC> again;
        pipe.InitBuffer(again, 128 * 1024);
        LocalTensor<float> t = again.Get<float>(64);
        Duplicate(t, 1.0f, 64);
        """,
        setup="",
    ),
    Legal(
        "buffers given out again",
        "semantics 5: Reset restarts the allocators",
        """
        TPipe pipe;
        TQue<TPosition::VECIN, 1> in;
        pipe.InitBuffer(in, 2, 64 * 1024);
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64);
        in.EnQue(t);
        t = in.DeQue<float>();
        in.FreeTensor(t);
        pipe.Reset();
        TBuf<TPosition::VECCALC> buf;
        pipe.InitBuffer(buf, 128 * 1024);
        """,
        setup="",
    ),
    Legal(
        "pipes one after the other",
        "pitfalls 11: the destructor ends a pipe",
        """
        {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buf;
        pipe.InitBuffer(buf, 256);
        }
        TPipe pipe;
        TBuf<TPosition::VECCALC> buf;
        pipe.InitBuffer(buf, 256);
        """,
        setup="",
    ),
    Legal(
        "nested output and input tensors",
        "semantics 5: queues of different positions have their own limits",
        """
        TPipe pipe;
        TQue<TPosition::VECIN, 1> in;
        TQue<TPosition::VECOUT, 1> out;
        pipe.InitBuffer(in, 8, 256);
        pipe.InitBuffer(out, 8, 256);
        LocalTensor<float> t[8];
        LocalTensor<float> r[8];
        for (int i = 0; i < 8; i++) t[i] = in.AllocTensor<float>();
        for (int i = 0; i < 8; i++) r[i] = out.AllocTensor<float>();
        for (int i = 0; i < 8; i++) in.FreeTensor(t[i]);
        for (int i = 0; i < 8; i++) out.FreeTensor(r[i]);
        """,
        setup="",
    ),
)
