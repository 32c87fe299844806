"""Edges that the compiler's automatic synchronisation makes (semantics 7): without it each is a mistake."""

from __future__ import annotations

from .mistake import Legal, Mistake

_FACT = "semantics 7: edges of auto-sync"
_MISSING = ("missing-sync",)


def _edge(name: str, text: str, *words: str) -> Mistake:
    return Mistake(name, _FACT, _MISSING, text, words=words)


COVERED = (
    _edge(
        "V writes, V reads",
        """
        Duplicate(a, 1.0f, 64); //@
        + PipeBarrier<PIPE_V>();
        Adds(b, a, 1.0f, 64); //@
        """,
        "PIPE_V",
    ),
    _edge(
        "V reads, V writes",
        """
        Duplicate(a, 1.0f, 64);
        PipeBarrier<PIPE_V>();
        Adds(b, a, 1.0f, 64); //@
        + PipeBarrier<PIPE_V>();
        Duplicate(a, 2.0f, 64); //@
        """,
        "PIPE_V",
    ),
    _edge(
        "V writes, V writes",
        """
        Duplicate(a, 1.0f, 64); //@
        + PipeBarrier<PIPE_V>();
        Duplicate(a, 2.0f, 64); //@
        """,
        "PIPE_V",
    ),
    _edge(
        "V writes, V reads one block",
        """
        Duplicate(a, 1.0f, 64); //@
        + PipeBarrier<PIPE_V>();
        Adds(b, a[56], 1.0f, 8); //@
        """,
        "PIPE_V",
    ),
    _edge(
        "V_V flag",
        """
        Duplicate(a, 1.0f, 64); //@
        + Sync<HardEvent::V_V>();
        Adds(b, a, 1.0f, 64); //@
        """,
    ),
    _edge(
        "V writes, S reads",
        """
        Duplicate(a, 1.0f, 64); //@
        + Sync<HardEvent::V_S>();
        float v = a.GetValue(3); //@
        """,
        "V_S",
    ),
    _edge(
        "V writes, S reads by operator",
        """
        Duplicate(a, 1.0f, 64); //@
        + Sync<HardEvent::V_S>();
        float v = a(3); //@
        """,
        "V_S",
    ),
    _edge(
        "V writes, S writes",
        """
        Duplicate(a, 1.0f, 64); //@
        + Sync<HardEvent::V_S>();
        a.SetValue(3, 2.0f); //@
        """,
        "V_S",
    ),
    _edge(
        "V reads, S writes",
        """
        Duplicate(a, 1.0f, 64);
        Sync<HardEvent::V_S>();
        PipeBarrier<PIPE_V>();
        Adds(b, a, 1.0f, 64); //@
        + Sync<HardEvent::V_S>();
        a.SetValue(3, 2.0f); //@
        """,
        "V_S",
    ),
    _edge(
        "S writes, V reads",
        """
        Duplicate(a, 1.0f, 64);
        PipeBarrier<PIPE_V>();
        Sync<HardEvent::V_S>();
        a.SetValue(3, 2.0f); //@
        + Sync<HardEvent::S_V>();
        Adds(b, a, 1.0f, 64); //@
        """,
        "S_V",
    ),
    _edge(
        "S writes, V writes",
        """
        a.SetValue(3, 2.0f); //@
        + Sync<HardEvent::S_V>();
        Duplicate(a, 1.0f, 64); //@
        """,
        "S_V",
    ),
    _edge(
        "S reads, V writes",
        """
        DataCopy(a, gx, 64);
        Sync<HardEvent::MTE2_S>();
        Sync<HardEvent::MTE2_V>();
        float v = a.GetValue(3); //@
        + Sync<HardEvent::S_V>();
        Duplicate(a, 1.0f, 64); //@
        """,
        "S_V",
    ),
    _edge(
        "V writes the register of a reduction, S reads it",
        """
        Duplicate(a, 1.0f, 64);
        PipeBarrier<PIPE_V>();
        WholeReduceMax(b, a, 64, 1, 1, 1, 8); //@
        + Sync<HardEvent::V_S>();
        float value;
        float index;
        GetReduceRepeatMaxMinSpr(value, index); //@
        """,
        "V_S",
    ),
    _edge(
        "MTE2 writes, S reads",
        """
        DataCopy(a, gx, 64); //@
        + Sync<HardEvent::MTE2_S>();
        float v = a.GetValue(3); //@
        """,
        "MTE2_S",
    ),
    _edge(
        "MTE2 writes, S writes",
        """
        DataCopy(a, gx, 64); //@
        + Sync<HardEvent::MTE2_S>();
        a.SetValue(3, 2.0f); //@
        """,
        "MTE2_S",
    ),
    _edge(
        "S reads, MTE2 writes",
        """
        Duplicate(a, 1.0f, 64);
        Sync<HardEvent::V_S>();
        Sync<HardEvent::V_MTE2>();
        float v = a.GetValue(3); //@
        + Sync<HardEvent::S_MTE2>();
        DataCopy(a, gx, 64); //@
        """,
        "S_MTE2",
    ),
    _edge(
        "S writes, MTE2 writes",
        """
        a.SetValue(3, 2.0f); //@
        + Sync<HardEvent::S_MTE2>();
        DataCopy(a, gx, 64); //@
        """,
        "S_MTE2",
    ),
    _edge(
        "S writes, MTE3 reads",
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_S>();
        Sync<HardEvent::V_MTE3>();
        b.SetValue(3, 2.0f); //@
        + Sync<HardEvent::S_MTE3>();
        DataCopy(gz, b, 64); //@
        """,
        "S_MTE3",
    ),
    _edge(
        "MTE3 reads, S writes",
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_S>();
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz, b, 64); //@
        + Sync<HardEvent::MTE3_S>();
        b.SetValue(3, 2.0f); //@
        """,
        "MTE3_S",
    ),
    _edge(
        "global memory: MTE3 writes, S reads",
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz, b, 64); //@
        + Sync<HardEvent::MTE3_S>();
        float v = gz.GetValue(3); //@
        """,
        "MTE3_S",
    ),
)
"""With automatic synchronisation the wrong texts are clean."""

NEVER = (
    Mistake(
        "global memory: MTE3 writes, S writes",
        # semantics 17: the store stays in the data cache until its line is cleaned, so that call is the one in conflict
        "semantics 7: GlobalTensor::SetValue is not among the calls of auto-sync",
        _MISSING,
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz, b, 64); //@
        + Sync<HardEvent::MTE3_S>();
        gz.SetValue(3, 2.0f);
        DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gz); //@
        """,
        words=("MTE3_S",),
    ),
    Mistake(
        "scalar access does not order MTE2 and V",
        "semantics 7: MTE2 <-> V is never made, whatever else the scalar unit waits for",
        _MISSING,
        """
        DataCopy(a, gx, 64); //@
        float v = gy.GetValue(3);
        + Sync<HardEvent::MTE2_V>();
        Adds(b, a, 1.0f, 64); //@
        """,
        words=("MTE2_V",),
    ),
)
"""Mistakes with automatic synchronisation, too."""

WITHOUT = (
    Legal(
        "vector instructions on different tensors",
        "semantics 7: no dependency, no barrier",
        """
        Duplicate(a, 1.0f, 64);
        Duplicate(b, 1.0f, 64);
        Duplicate(c, 1.0f, 64);
        """,
    ),
    Legal(
        "two readers of one tensor",
        "semantics 7: no dependency, no barrier",
        """
        Duplicate(a, 1.0f, 64);
        PipeBarrier<PIPE_V>();
        Adds(b, a, 1.0f, 64);
        Adds(c, a, 1.0f, 64);
        """,
    ),
    Legal(
        "scalar accesses among themselves",
        "semantics 7: ordered by the hardware",
        """
        a.SetValue(3, 1.0f);
        float v = a.GetValue(3);
        a.SetValue(3, v + 1.0f);
        """,
    ),
    Legal(
        "mask register before a vector instruction",
        "semantics 2.2, 7: ordered by the hardware",
        """
        SetVectorMask<float>(0, 255);
        Duplicate<float, false>(a, 1.0f, MASK_PLACEHOLDER, 1, 1, 8);
        SetVectorMask<float>(0, 15);
        Duplicate<float, false>(b, 1.0f, MASK_PLACEHOLDER, 1, 1, 8);
        ResetMask();
        """,
    ),
    Legal(
        "flags that ReduceSum makes itself",
        "semantics 4: level-2 ReduceSum waits V->S and sets S->V and S->MTE3",
        """
        Duplicate(a, 1.0f, 64);
        PipeBarrier<PIPE_V>();
        ReduceSum(c, a, b, 64);
        Adds(d, c, 1.0f, 1);
        DataCopyPad(gz, c, {1, 4, 0, 0, 0});
        """,
    ),
    Legal(
        "queues order transfers and vector instructions",
        "semantics 5: events of EnQue, DeQue, FreeTensor and AllocTensor",
        """
        TPipe pipe;
        TQue<TPosition::VECIN, 1> in;
        TQue<TPosition::VECOUT, 1> out;
        pipe.InitBuffer(in, 2, 256);
        pipe.InitBuffer(out, 2, 256);
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
        setup="",
    ),
)
"""Clean without automatic synchronisation."""
