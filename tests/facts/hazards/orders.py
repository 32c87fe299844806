"""Orders between pipes that the compiler's automatic synchronisation does not make (semantics 7)."""

from __future__ import annotations

from .mistake import Legal, Mistake

_SYNC = "pitfalls 12, 17, 104: MTE2, V and MTE3 on tensors without queue"
_SAME = "semantics 7, 15: overlapping destinations of one transfer pipe need a barrier"
_MISSING = ("missing-sync",)

MISTAKES = (
    Mistake(
        "MTE2 writes, V reads",
        _SYNC,
        _MISSING,
        """
        DataCopy(a, gx, 64); //@
        + Sync<HardEvent::MTE2_V>();
        Adds(b, a, 1.0f, 64); //@
        """,
        words=("MTE2_V",),
    ),
    Mistake(
        "V writes, MTE3 reads",
        _SYNC,
        _MISSING,
        """
        Duplicate(b, 1.0f, 64); //@
        + Sync<HardEvent::V_MTE3>();
        DataCopy(gz, b, 64); //@
        """,
        words=("V_MTE3",),
    ),
    Mistake(
        "MTE3 reads, V writes",
        _SYNC,
        _MISSING,
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz, b, 64); //@
        + Sync<HardEvent::MTE3_V>();
        Duplicate(b, 2.0f, 64); //@
        """,
        words=("MTE3_V",),
    ),
    Mistake(
        "V reads, MTE2 writes",
        _SYNC,
        _MISSING,
        """
        DataCopy(a, gx, 64);
        Sync<HardEvent::MTE2_V>();
        Adds(b, a, 1.0f, 64); //@
        + Sync<HardEvent::V_MTE2>();
        DataCopy(a, gy, 64); //@
        """,
        words=("V_MTE2",),
    ),
    Mistake(
        "MTE2 writes, MTE3 reads",
        _SYNC,
        _MISSING,
        """
        DataCopy(a, gx, 64); //@
        + Sync<HardEvent::MTE2_MTE3>();
        DataCopy(gz, a, 64); //@
        """,
        words=("MTE2_MTE3",),
    ),
    Mistake(
        "MTE3 reads, MTE2 writes",
        _SYNC,
        _MISSING,
        """
        DataCopy(a, gx, 64);
        Sync<HardEvent::MTE2_MTE3>();
        DataCopy(gz, a, 64); //@
        + Sync<HardEvent::MTE3_MTE2>();
        DataCopy(a, gy, 64); //@
        """,
        words=("MTE3_MTE2",),
    ),
    Mistake(
        "V writes, MTE2 writes",
        _SYNC,
        _MISSING,
        """
        Duplicate(a, 1.0f, 64); //@
        + Sync<HardEvent::V_MTE2>();
        DataCopy(a, gx, 64); //@
        """,
        words=("V_MTE2",),
    ),
    Mistake(
        "MTE2 writes, V writes",
        _SYNC,
        _MISSING,
        """
        DataCopy(a, gx, 64); //@
        + Sync<HardEvent::MTE2_V>();
        Duplicate(a, 1.0f, 64); //@
        """,
        words=("MTE2_V",),
    ),
    Mistake(
        "padded copy, V reads",
        _SYNC,
        _MISSING,
        """
        DataCopyPadExtParams<float> pad{true, 0, 3, 0.0f};
        DataCopyPad(a, gx, {1, 20, 0, 0, 0}, pad); //@
        + Sync<HardEvent::MTE2_V>();
        Adds(b, a, 1.0f, 8); //@
        """,
    ),
    Mistake(
        "V writes, padded copy out",
        _SYNC,
        _MISSING,
        """
        Duplicate(b, 1.0f, 64); //@
        + Sync<HardEvent::V_MTE3>();
        DataCopyPad(gz, b, {1, 20, 0, 0, 0}); //@
        """,
    ),
    Mistake(
        "local copy is a vector instruction",
        "semantics 1: UB->UB DataCopy runs on V",
        _MISSING,
        """
        DataCopy(a, gx, 64); //@
        + Sync<HardEvent::MTE2_V>();
        DataCopy(b, a, 64); //@
        """,
        words=("MTE2_V",),
    ),
    Mistake(
        "the same bytes under another type",
        "semantics 20: ReinterpretCast keeps bytes",
        _MISSING,
        """
        DataCopy(a, gx, 64); //@
        LocalTensor<half> h = buf.GetWithOffset<float>(64, 0).ReinterpretCast<half>()[112];
        + Sync<HardEvent::MTE2_V>();
        Abs(h, h, 16); //@
        """,
        words=("MTE2_V",),
    ),
    Mistake(
        "masked lanes of a transfer's destination",
        "semantics 2.1: the second block of each repeat is touched",
        _MISSING,
        """
        uint64_t mask = 32;
        DataCopy(a, gx, {4, 1, 0, 1}); //@
        + Sync<HardEvent::MTE2_V>();
        Duplicate(a, 1.0f, mask, 1, 2, 8); //@
        """,
        words=("MTE2_V",),
    ),
    Mistake(
        "two copies to one destination",
        _SAME,
        _MISSING,
        """
        DataCopy(a, gx, 64); //@
        + PipeBarrier<PIPE_MTE2>();
        DataCopy(a, gy, 64); //@
        """,
        words=("PIPE_MTE2",),
    ),
    Mistake(
        "two copies that share one block",
        _SAME,
        _MISSING,
        """
        DataCopy(a, gx, 64); //@
        + PipeBarrier<PIPE_MTE2>();
        LocalTensor<float> e = buf.GetWithOffset<float>(64, 224);
        DataCopy(e, gy, 64); //@
        """,
    ),
    Mistake(
        "two copies to one place in global memory",
        _SAME,
        _MISSING,
        """
        Duplicate(b, 1.0f, 64);
        Duplicate(c, 2.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz, b, 64); //@
        + PipeBarrier<PIPE_MTE3>();
        DataCopy(gz[32], c, 64); //@
        """,
        words=("PIPE_MTE3",),
    ),
    Mistake(
        "two padded copies share bytes in global memory",
        _SAME,
        _MISSING,
        """
        Duplicate(b, 1.0f, 64);
        Duplicate(c, 2.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopyPad(gz, b, {1, 8, 0, 0, 0}); //@
        + PipeBarrier<PIPE_MTE3>();
        DataCopyPad(gz[1], c, {1, 8, 0, 0, 0}); //@
        """,
    ),
    Mistake(
        "two copies of the same values to one place",
        _SAME,
        _MISSING,
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz, b, 64); //@
        + PipeBarrier<PIPE_MTE3>();
        DataCopy(gz, b, 64); //@
        """,
        fails=False,
    ),
    Mistake(
        "global memory: MTE3 writes, MTE2 reads",
        "semantics 7: MTE2 <-> MTE3 is for flags or queues",
        _MISSING,
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz, b, 64); //@
        + Sync<HardEvent::MTE3_MTE2>();
        DataCopy(a, gz, 64); //@
        """,
        words=("MTE3_MTE2",),
    ),
    Mistake(
        "global memory: MTE2 reads, MTE3 writes",
        "semantics 7: MTE2 <-> MTE3 is for flags or queues",
        _MISSING,
        """
        Duplicate(b, 1.0f, 64);
        Duplicate(c, 2.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz, b, 64);
        PipeBarrier<PIPE_MTE3>();
        Sync<HardEvent::MTE3_MTE2>();
        DataCopy(a, gz, 64); //@
        + Sync<HardEvent::MTE2_MTE3>();
        DataCopy(gz, c, 64); //@
        """,
        words=("MTE2_MTE3",),
    ),
    Mistake(
        "barrier of the wrong pipe",
        "semantics 7: PipeBarrier<pipe> holds one pipe only",
        _MISSING,
        """
        DataCopy(a, gx, 64); //@
        - PipeBarrier<PIPE_V>();
        + PipeBarrier<PIPE_ALL>();
        Adds(b, a, 1.0f, 64); //@
        """,
    ),
    Mistake(
        "barrier of the writing pipe",
        "semantics 7: PipeBarrier<pipe> holds one pipe only",
        _MISSING,
        """
        DataCopy(a, gx, 64); //@
        PipeBarrier<PIPE_MTE2>();
        + Sync<HardEvent::MTE2_V>();
        Adds(b, a, 1.0f, 64); //@
        """,
    ),
    Mistake(
        "event the wrong way round",
        "semantics 6: SetFlag on the first pipe, WaitFlag on the second",
        _MISSING,
        """
        DataCopy(a, gx, 64); //@
        - Sync<HardEvent::V_MTE2>();
        + Sync<HardEvent::MTE2_V>();
        Adds(b, a, 1.0f, 64); //@
        """,
    ),
    Mistake(
        "flag set before the copy",
        "semantics 6: a flag covers earlier instructions",
        _MISSING,
        """
        - SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        DataCopy(a, gx, 64); //@
        + SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Adds(b, a, 1.0f, 64); //@
        """,
    ),
    Mistake(
        "flag waited for after the use",
        "semantics 6: a wait holds later instructions",
        _MISSING,
        """
        DataCopy(a, gx, 64); //@
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        + WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Adds(b, a, 1.0f, 64); //@
        - WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        """,
    ),
    Mistake(
        "flag between two copies",
        "semantics 6: a flag covers earlier instructions",
        _MISSING,
        """
        DataCopy(a, gx, 64);
        - SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        DataCopy(b, gy, 64); //@
        + SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Add(c, a, b, 64); //@
        """,
    ),
    Mistake(
        "chain in the wrong order",
        "semantics 6: V sets its flag before it has waited for MTE2",
        _MISSING,
        """
        DataCopy(a, gx, 64); //@
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        - SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        + SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(gz, a, 64); //@
        """,
    ),
    Mistake(
        "loop without the way back on input",
        "pitfalls 17: MTE2 reuses a buffer",
        _MISSING,
        """
        for (int i = 0; i < 2; i++) {
        DataCopy(a, gx[i * 64], 64); //@
        Sync<HardEvent::MTE2_V>();
        Adds(b, a, 1.0f, 64); //@
        + Sync<HardEvent::V_MTE2>();
        }
        """,
    ),
    Mistake(
        "loop without the way back on output",
        "pitfalls 17: V reuses a buffer",
        _MISSING,
        """
        for (int i = 0; i < 2; i++) {
        Duplicate(b, 1.0f + i, 64); //@
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz[i * 64], b, 64); //@
        + Sync<HardEvent::MTE3_V>();
        }
        """,
    ),
    Mistake(
        "loop that fills with the same values without the way back on output",
        "pitfalls 17: V reuses a buffer",
        _MISSING,
        """
        for (int i = 0; i < 2; i++) {
        Duplicate(b, 1.0f, 64); //@
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz[i * 64], b, 64); //@
        + Sync<HardEvent::MTE3_V>();
        }
        """,
        fails=False,
    ),
)

LEGAL = (
    Legal(
        "order passes through V",
        "semantics 6: flags take effect after all earlier instructions, waits included",
        """
        DataCopy(a, gx, 64);
        Sync<HardEvent::MTE2_V>();
        Adds(b, a, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz, a, 64);
        DataCopy(gw, b, 64);
        """,
    ),
    Legal(
        "order passes through an idle V",
        "semantics 6: flags take effect after all earlier instructions, waits included",
        """
        DataCopy(a, gx, 64);
        Sync<HardEvent::MTE2_V>();
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz, a, 64);
        """,
    ),
    Legal(
        "order comes back to MTE2",
        "semantics 6: a circle of flags orders two copies to one destination",
        """
        DataCopy(a, gx, 64);
        Sync<HardEvent::MTE2_V>();
        Sync<HardEvent::V_MTE3>();
        Sync<HardEvent::MTE3_MTE2>();
        DataCopy(a, gy, 64);
        """,
    ),
    Legal(
        "two readers",
        "semantics 7: two reads are no conflict",
        """
        DataCopy(a, gx, 64);
        Sync<HardEvent::MTE2_V>();
        Sync<HardEvent::MTE2_MTE3>();
        Adds(b, a, 1.0f, 64);
        DataCopy(gz, a, 64);
        """,
    ),
    Legal(
        "one source twice",
        "semantics 7: two reads are no conflict",
        """
        DataCopy(a, gx, 64);
        DataCopy(b, gx, 64);
        """,
    ),
    Legal(
        "neighbours in UB",
        "semantics 7: only overlapping destinations need a barrier",
        """
        DataCopy(a, gx, 32);
        DataCopy(a[32], gx[32], 32);
        Duplicate(b, 1.0f, 64);
        """,
    ),
    Legal(
        "neighbours in global memory",
        "semantics 7: only overlapping destinations need a barrier",
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopyPad(gz, b, {1, 20, 0, 0, 0});
        DataCopyPad(gz[5], b, {1, 20, 0, 0, 0});
        DataCopy(gw, b, 32);
        DataCopy(gw[32], b, 32);
        """,
    ),
    Legal(
        "halves of one tensor",
        "semantics 7: blocks are tracked apart",
        """
        DataCopy(a, gx, 32);
        Sync<HardEvent::MTE2_V>();
        DataCopy(a[32], gx[32], 32);
        Adds(b, a, 1.0f, 32);
        """,
    ),
    Legal(
        "strided copies interleave",
        "semantics 15: gaps are not written",
        """
        DataCopy(a, gx, {4, 1, 1, 1});
        DataCopy(a[8], gx[8], {4, 1, 1, 1});
        """,
    ),
    Legal(
        "barriers of all pipes",
        "semantics 7: PIPE_ALL waits for everything",
        """
        DataCopy(a, gx, 64);
        PipeBarrier<PIPE_ALL>();
        Adds(b, a, 1.0f, 64);
        PipeBarrier<PIPE_ALL>();
        DataCopy(gz, b, 64);
        PipeBarrier<PIPE_ALL>();
        Duplicate(b, 1.0f, 64);
        """,
    ),
    Legal(
        "wait issued before its set",
        "semantics 6: a wait holds its own pipe only, the scalar program runs on",
        """
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Adds(b, a, 1.0f, 64);
        DataCopy(a, gx, 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz, b, 64);
        """,
    ),
    Legal(
        "masked lanes are not touched",
        "semantics 2.2: masked-off elements are neither computed nor written",
        """
        Duplicate(c, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        uint64_t mask = 8;
        DataCopy(gz, c[8], 56);
        Duplicate(c, 2.0f, mask, 1, 1, 8);
        """,
    ),
    Legal(
        "strided blocks between a transfer's blocks",
        "semantics 2.1: a block stride skips blocks",
        """
        uint64_t mask = 32;
        DataCopy(a, gx, {4, 1, 0, 1});
        Duplicate(a[8], 1.0f, mask, 1, 2, 8);
        """,
    ),
    Legal(
        "automatic order between vector instructions",
        "semantics 7: auto-sync makes V <-> V",
        """
        Duplicate(a, 1.0f, 64);
        Adds(a, a, 1.0f, 64);
        Adds(b, a, 1.0f, 64);
        Duplicate(a, 2.0f, 64);
        """,
    ),
)
