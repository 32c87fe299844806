"""TPipe, InitBuffer and TBuf."""

from __future__ import annotations

from .mistake import TENSORS, Mistake

_BUFFERS = "pitfalls 2, 3, 4: InitBuffer"

MISTAKES = (
    Mistake(
        "two pipes",
        "pitfalls 11: one TPipe is alive",
        ("two-pipes",),
        """
        TPipe first;
        + first.Destroy();
        TPipe second; //@
        TBuf<TPosition::VECCALC> buf;
        second.InitBuffer(buf, 256);
        """,
        setup="",
    ),
    Mistake(
        "more than the unified buffer",
        _BUFFERS,
        ("ub-overflow",),
        """
        TPipe pipe;
        TQue<TPosition::VECIN, 1> in;
        TBuf<TPosition::VECCALC> buf;
        pipe.InitBuffer(in, 2, 64 * 1024);
        - pipe.InitBuffer(buf, 64 * 1024 + 32); //@
        + pipe.InitBuffer(buf, 56 * 1024);
        """,
        setup="",
        words=("196608",),
    ),
    Mistake(
        "lengths are rounded up",
        _BUFFERS,
        ("ub-overflow",),
        """
        TPipe pipe;
        TBuf<TPosition::VECCALC> large;
        TBuf<TPosition::VECCALC> small;
        pipe.InitBuffer(large, 192 * 1024 - 32);
        - pipe.InitBuffer(small, 33); //@
        + pipe.InitBuffer(small, 31);
        """,
        setup="",
    ),
    Mistake(
        "number 0",
        _BUFFERS,
        ("init-buffer-empty",),
        """
        TPipe pipe;
        TQue<TPosition::VECIN, 1> in;
        - pipe.InitBuffer(in, 0, 256); //@
        + pipe.InitBuffer(in, 1, 256);
        """,
        setup="",
    ),
    Mistake(
        "length 0",
        _BUFFERS,
        ("init-buffer-empty",),
        """
        TPipe pipe;
        TBuf<TPosition::VECCALC> buf;
        - pipe.InitBuffer(buf, 0); //@
        + pipe.InitBuffer(buf, 32);
        """,
        setup="",
    ),
    Mistake(
        "65 buffers",
        _BUFFERS,
        ("buffer-count-limit",),
        """
        TPipe pipe;
        TBuf<TPosition::VECCALC> bufs[65];
        - for (int i = 0; i < 65; i++) pipe.InitBuffer(bufs[i], 32); //@
        + for (int i = 0; i < 64; i++) pipe.InitBuffer(bufs[i], 32);
        """,
        setup="",
        words=("64",),
    ),
    Mistake(
        "Get beyond the buffer",
        "semantics 5: len * sizeof(T) <= InitBuffer length",
        ("tbuf-out-of-range",),
        """
        - LocalTensor<float> t = buf.Get<float>(257); //@
        + LocalTensor<float> t = buf.Get<float>(256);
        """,
        setup=TENSORS,
    ),
    Mistake(
        "GetWithOffset beyond the buffer",
        "semantics 5: len * sizeof(T) <= InitBuffer length",
        ("tbuf-out-of-range",),
        """
        - LocalTensor<float> t = buf.GetWithOffset<float>(64, 800); //@
        + LocalTensor<float> t = buf.GetWithOffset<float>(56, 800);
        """,
        setup=TENSORS,
    ),
    Mistake(
        "GetWithOffset at an offset that is no multiple of 32",
        "semantics 5: offset multiple of 32",
        ("misaligned-address", "tbuf-out-of-range", "illegal-argument"),
        """
        - LocalTensor<float> t = buf.GetWithOffset<float>(8, 16); //@
        + LocalTensor<float> t = buf.GetWithOffset<float>(8, 32);
        """,
        setup=TENSORS,
    ),
    Mistake(
        "TBuf without InitBuffer",
        _BUFFERS,
        ("queue-not-initialised",),
        """
        TPipe pipe;
        TBuf<TPosition::VECCALC> buf;
        + pipe.InitBuffer(buf, 256);
        LocalTensor<float> t = buf.Get<float>(); //@
        """,
        setup="",
    ),
)
