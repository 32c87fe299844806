"""The queue state machine."""

from __future__ import annotations

from .mistake import QUEUES, Mistake

_STATES = "pitfalls 7: FREE -> OCCUPIED -> ENQUE -> DEQUE -> FREE"
_OWNER = "pitfalls 10: the address must be a buffer start of that queue"

MISTAKES = (
    Mistake(
        "AllocTensor without FreeTensor in a loop",
        "pitfalls 6: no free buffer",
        ("alloc-no-free-buffer",),
        """
        for (int i = 0; i < 3; i++) {
        LocalTensor<float> t = in.AllocTensor<float>(); //@
        DataCopy(t, gx, 64);
        in.EnQue(t);
        t = in.DeQue<float>();
        Adds(a, t, 1.0f, 64);
        + in.FreeTensor(t);
        }
        """,
        setup=QUEUES,
        follows=("tensor-leak",),
    ),
    Mistake(
        "freed twice",
        _STATES,
        ("double-free",),
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64);
        in.EnQue(t);
        t = in.DeQue<float>();
        in.FreeTensor(t);
        - in.FreeTensor(t); //@
        """,
        setup=QUEUES,
    ),
    Mistake(
        "DeQue of an empty queue",
        "pitfalls 8: usedCount stays within 1..depth",
        ("queue-empty",),
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64);
        + in.EnQue(t);
        t = in.DeQue<float>(); //@
        in.FreeTensor(t);
        """,
        setup=QUEUES,
        follows=("tensor-leak", "missing-sync"),
    ),
    Mistake(
        "EnQue beyond the depth",
        "pitfalls 8: usedCount stays within 1..depth",
        ("queue-full",),
        """
        for (int i = 0; i < 2; i++) {
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64);
        in.EnQue(t); //@
        + t = in.DeQue<float>();
        + in.FreeTensor(t);
        }
        """,
        setup=QUEUES,
        follows=("tensor-leak", "flag-left-set"),
    ),
    Mistake(
        "freed by another queue",
        _OWNER,
        ("wrong-queue",),
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64);
        in.EnQue(t);
        t = in.DeQue<float>();
        - out.FreeTensor(t); //@
        + in.FreeTensor(t);
        """,
        setup=QUEUES,
        follows=("tensor-leak",),
    ),
    Mistake(
        "enqueued in another queue",
        _OWNER,
        ("wrong-queue",),
        """
        LocalTensor<float> t = out.AllocTensor<float>();
        Duplicate(t, 1.0f, 64);
        - in.EnQue(t); //@
        - t = in.DeQue<float>();
        + out.EnQue(t);
        + t = out.DeQue<float>();
        DataCopy(gz, t, 64);
        out.FreeTensor(t);
        """,
        setup=QUEUES,
        follows=("queue-empty", "tensor-leak", "missing-sync", "wrong-buffer-state"),
    ),
    Mistake(
        "part of a tensor freed",
        _OWNER,
        ("wrong-queue",),
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64);
        in.EnQue(t);
        t = in.DeQue<float>();
        - LocalTensor<float> s = t[8];
        - in.FreeTensor(s); //@
        + in.FreeTensor(t);
        """,
        setup=QUEUES,
        follows=("tensor-leak",),
    ),
    Mistake(
        "part of a tensor enqueued",
        _OWNER,
        ("wrong-queue",),
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64);
        - in.EnQue(t[8]); //@
        + in.EnQue(t);
        t = in.DeQue<float>();
        in.FreeTensor(t);
        """,
        setup=QUEUES,
        follows=("queue-empty", "tensor-leak", "wrong-buffer-state"),
    ),
    Mistake(
        "TBuf tensor enqueued",
        _OWNER,
        ("wrong-queue",),
        """
        - DataCopy(a, gx, 64);
        - in.EnQue(a); //@
        + LocalTensor<float> t = in.AllocTensor<float>();
        + DataCopy(t, gx, 64);
        + in.EnQue(t);
        + t = in.DeQue<float>();
        + in.FreeTensor(t);
        """,
        setup=QUEUES,
    ),
    Mistake(
        "enqueued twice",
        _STATES,
        ("wrong-buffer-state",),
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64);
        in.EnQue(t);
        - in.EnQue(t); //@
        t = in.DeQue<float>();
        in.FreeTensor(t);
        """,
        setup="""
        TPipe pipe;
        TQue<TPosition::VECIN, 2> in;
        pipe.InitBuffer(in, 2, 256);
        """,
        follows=("tensor-leak", "flag-left-set", "flag-already-set"),
    ),
    Mistake(
        "freed while in the queue",
        _STATES,
        ("wrong-buffer-state",),
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64);
        in.EnQue(t);
        + t = in.DeQue<float>();
        in.FreeTensor(t); //@
        """,
        setup=QUEUES,
        follows=("tensor-leak", "flag-left-set"),
    ),
    Mistake(
        "enqueued after FreeTensor",
        _STATES,
        ("wrong-buffer-state",),
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64);
        - in.FreeTensor(t);
        in.EnQue(t); //@
        t = in.DeQue<float>();
        + in.FreeTensor(t);
        """,
        setup=QUEUES,
        follows=("queue-empty", "tensor-leak", "flag-left-set"),
    ),
    Mistake(
        "never freed",
        "pitfalls 6: every cycle must complete",
        ("tensor-leak",),
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64);
        in.EnQue(t);
        t = in.DeQue<float>(); //@
        Adds(a, t, 1.0f, 64);
        + in.FreeTensor(t);
        """,
        setup=QUEUES,
    ),
    Mistake(
        "left in the queue",
        "pitfalls 6: every cycle must complete",
        ("tensor-leak",),
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64);
        in.EnQue(t); //@
        + t = in.DeQue<float>();
        + in.FreeTensor(t);
        """,
        setup=QUEUES,
        follows=("flag-left-set",),
    ),
    Mistake(
        "nine live tensors of one position",
        "pitfalls 1: at most 8 live tensors of a position",
        ("position-live-limit",),
        """
        TPipe pipe;
        TQue<TPosition::VECIN, 1> in;
        pipe.InitBuffer(in, 9, 256);
        - LocalTensor<float> t[9];
        - for (int i = 0; i < 9; i++) t[i] = in.AllocTensor<float>(); //@
        - for (int i = 0; i < 9; i++) in.FreeTensor(t[i]);
        + LocalTensor<float> t[8];
        + for (int i = 0; i < 8; i++) t[i] = in.AllocTensor<float>();
        + for (int i = 0; i < 8; i++) in.FreeTensor(t[i]);
        """,
        setup="",
        follows=("event-ids-exhausted",),
    ),
    Mistake(
        "nine live tensors of two queues",
        "pitfalls 1: over all queues of the position",
        ("position-live-limit",),
        """
        TPipe pipe;
        TQue<TPosition::VECIN, 1> p;
        TQue<TPosition::VECIN, 1> q;
        pipe.InitBuffer(p, 5, 256);
        pipe.InitBuffer(q, 4, 256);
        LocalTensor<float> t[9];
        for (int i = 0; i < 5; i++) t[i] = p.AllocTensor<float>();
        for (int i = 5; i < 8; i++) t[i] = q.AllocTensor<float>();
        - t[8] = q.AllocTensor<float>(); //@
        - q.FreeTensor(t[8]);
        for (int i = 0; i < 5; i++) p.FreeTensor(t[i]);
        for (int i = 5; i < 8; i++) q.FreeTensor(t[i]);
        """,
        setup="",
        follows=("event-ids-exhausted",),
    ),
    Mistake(
        "user positions of EnQue and DeQue differ",
        "semantics 5: EnQue and DeQue must name the same pair",
        ("enque-deque-mismatch",),
        """
        TPipe pipe;
        TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> bind;
        pipe.InitBuffer(bind, 1, 256);
        LocalTensor<float> t = bind.AllocTensor<float>();
        DataCopy(t, gx, 64);
        bind.EnQue<TPosition::GM, TPosition::VECIN>(t); //@
        - t = bind.DeQue<TPosition::VECOUT, TPosition::GM, float>(); //@
        + t = bind.DeQue<TPosition::GM, TPosition::VECIN, float>();
        bind.FreeTensor(t);
        """,
        setup="",
        follows=("flag-left-set", "deadlock"),
    ),
    Mistake(
        "queue without InitBuffer",
        "pitfalls 8: AllocTensor scans the queue's buffers",
        ("queue-not-initialised",),
        """
        TPipe pipe;
        TQue<TPosition::VECIN, 1> in;
        + pipe.InitBuffer(in, 1, 256);
        LocalTensor<float> t = in.AllocTensor<float>(); //@
        in.FreeTensor(t);
        """,
        setup="",
        follows=("queue-not-initialised", "wrong-queue", "double-free"),
    ),
)
