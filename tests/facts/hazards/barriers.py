"""Two cores that wait for each other, and what they rely on."""

from __future__ import annotations

from .mistake import TENSORS, Legal, Mistake

_ORDER = "semantics 8: nothing but inter-core synchronisation orders cores"
_BARRIER = "semantics 8, pitfalls 28: every core that takes part reaches the barrier, equally often"
_ZERO = "pitfalls 25: the workspace of the soft form is zeroed, large enough"
_FLAG = "semantics 8, pitfalls 27: flags between cores"
_LINE = "semantics 17, pitfalls 43 and 44: the data cache is not coherent"

SETUP = (
    TENSORS
    + """
TBuf<TPosition::VECCALC> words;
pipe.InitBuffer(words, 256);
LocalTensor<int32_t> ub = words.Get<int32_t>();
GlobalTensor<int32_t> slots;
slots.SetGlobalBuffer((__gm__ int32_t*)gw.GetPhyAddr(), 128);
const int32_t me = GetBlockIdx();
"""
)

MISTAKES = (
    Mistake(
        "no barrier before the other core's part is read",
        _ORDER,
        ("gm-race",),
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz[me * 64], b, 64); //@
        + SyncAll();
        DataCopy(a, gz[(1 - me) * 64], 64); //@
        """,
        setup=SETUP,
        follows=("uninitialised-read",),
    ),
    Mistake(
        "no second barrier before the part is written again",
        _ORDER,
        ("gm-race",),
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz[me * 64], b, 64);
        SyncAll();
        DataCopy(a, gz[(1 - me) * 64], 64); //@
        + SyncAll();
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz[me * 64], b, 64); //@
        """,
        setup=SETUP,
    ),
    Mistake(
        "a flag of another pipe than the store's",
        _FLAG,
        ("gm-race",),
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz[me * 64], b, 64); //@
        - CrossCoreSetFlag<0, PIPE_V>(3);
        + CrossCoreSetFlag<0, PIPE_MTE3>(3);
        CrossCoreWaitFlag(3);
        DataCopy(a, gz[(1 - me) * 64], 64); //@
        """,
        setup=SETUP,
        follows=("uninitialised-read",),
    ),
    Mistake(
        "a flag that is set before the store",
        _FLAG,
        ("gm-race",),
        """
        - CrossCoreSetFlag<0, PIPE_MTE3>(3);
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz[me * 64], b, 64); //@
        + CrossCoreSetFlag<0, PIPE_MTE3>(3);
        CrossCoreWaitFlag(3);
        DataCopy(a, gz[(1 - me) * 64], 64); //@
        """,
        setup=SETUP,
        follows=("uninitialised-read",),
    ),
    Mistake(
        "one core leaves before the barrier",
        _BARRIER,
        ("deadlock",),
        """
        - if (me == 1) return;
        SyncAll(); //@
        """,
        setup=SETUP,
        words=("block 1",),
    ),
    Mistake(
        "one core calls the barrier once more",
        _BARRIER,
        ("deadlock",),
        """
        SyncAll();
        - if (me == 0) {
        SyncAll(); //@
        - }
        """,
        setup=SETUP,
        words=("call 2",),
    ),
    Mistake(
        "the barrier of a fused kernel in one of vector cores",
        "semantics 8: SyncAll<false> waits for the cube cores",
        ("deadlock",),
        """
        - SyncAll<false>(); //@
        + SyncAll<true>();
        """,
        setup=SETUP,
    ),
    Mistake(
        "workspace of the barrier is not zeroed",
        _ZERO,
        ("uninitialised-read",),
        """
        +if (me == 0) {
        + Duplicate(ub, 0, 64);
        + Sync<HardEvent::V_MTE3>();
        + DataCopy(slots, ub, 64);
        + }
        + SyncAll();
        SyncAll(slots, ub); //@
        """,
        setup=SETUP,
    ),
    Mistake(
        "one core zeroes the workspace and nothing orders the other",
        _ZERO,
        ("gm-race",),
        """
        if (me == 0) {
        Duplicate(ub, 0, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(slots, ub, 64); //@
        }
        + SyncAll();
        SyncAll(slots, ub); //@
        """,
        setup=SETUP,
    ),
    Mistake(
        "scratch of the barrier is too small",
        _ZERO,
        ("out-of-bounds",),
        """
        if (me == 0) {
        Duplicate(ub, 0, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(slots, ub, 64);
        }
        SyncAll();
        - SyncAll(slots, words.Get<int32_t>(8)); //@
        + SyncAll(slots, words.Get<int32_t>(16));
        """,
        setup=SETUP,
    ),
    Mistake(
        "a wait for another core's event that is never set",
        "pitfalls 25: IBSet and IBWait come in pairs",
        ("deadlock",),
        """
        if (me == 0) {
        Duplicate(ub, 0, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(slots, ub, 64);
        }
        SyncAll();
        if (me == 0) {
        IBSet(slots, ub, 0, 1);
        } else {
        - IBWait(slots, ub, 0, 0); //@
        + IBWait(slots, ub, 0, 1);
        }
        """,
        setup=SETUP,
    ),
    Mistake(
        "the waiting core reads before it waits",
        _ORDER,
        ("gm-race",),
        """
        if (me == 0) {
        Duplicate(ub, 0, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(slots, ub, 64);
        }
        SyncAll();
        if (me == 0) {
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz[me * 64], b, 64); //@
        IBSet(slots, ub, 0, 1);
        } else {
        - DataCopy(a, gz[(1 - me) * 64], 64); //@
        IBWait(slots, ub, 0, 1);
        + DataCopy(a, gz[(1 - me) * 64], 64); //@
        }
        """,
        setup=SETUP,
        follows=("uninitialised-read",),
    ),
    Mistake(
        "a flag that one core does not set",
        _FLAG,
        ("deadlock",),
        """
        - if (me == 1) {
        CrossCoreSetFlag<0, PIPE_MTE3>(2);
        - }
        CrossCoreWaitFlag(2); //@
        """,
        setup=SETUP,
        words=(
            "flag 2",
            "block 0",
        ),
    ),
    Mistake(
        "a flag that nobody waits for",
        _FLAG,
        ("flag-left-set",),
        """
        CrossCoreSetFlag<0, PIPE_MTE3>(2); //@
        + CrossCoreWaitFlag(2);
        """,
        setup=SETUP,
    ),
    Mistake(
        "a flag that the barrier uses itself",
        "pitfalls 27: SyncAll takes flags 11 to 14",
        ("cross-core-flag",),
        """
        SyncAll();
        - CrossCoreSetFlag<0, PIPE_MTE3>(12); //@
        - CrossCoreWaitFlag(12);
        + CrossCoreSetFlag<0, PIPE_MTE3>(2);
        + CrossCoreWaitFlag(2);
        """,
        setup=SETUP,
    ),
    Mistake(
        "a scalar store is not flushed before the barrier",
        _LINE,
        ("dcache-not-flushed",),
        """
        if (me == 0) {
        gz.SetValue(0, 1.0f); //@
        + Flush(gz);
        }
        SyncAll();
        if (me == 1) {
        float other = gz.GetValue(0); //@
        }
        """,
        setup=SETUP,
        follows=(
            "uninitialised-read",
            "gm-race",
        ),
    ),
    Mistake(
        "a line taken in before the other core's store",
        _LINE,
        ("dcache-stale",),
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz[me * 64], b, 64);
        SyncAll();
        if (me == 1) {
        float old = gz.GetValue(0);
        }
        SyncAll();
        if (me == 0) {
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz[me * 64], b, 64); //@
        }
        SyncAll();
        if (me == 1) {
        + Flush(gz);
        float fresh = gz.GetValue(0); //@
        }
        """,
        setup=SETUP,
    ),
)

LEGAL = (
    Legal(
        "atomic sums of cores are read behind a barrier",
        _ORDER,
        """
        if (me == 0) {
        Duplicate(b, 0.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz, b, 64);
        }
        SyncAll();
        Duplicate(c, 2.0f, 64);
        Sync<HardEvent::V_MTE3>();
        SetAtomicAdd<float>();
        DataCopy(gz, c, 64);
        SetAtomicNone();
        SyncAll();
        DataCopy(a, gz, 64);
        """,
        setup=SETUP,
    ),
    Legal(
        "cores store in turn",
        "semantics 8: WaitPreBlock and NotifyNextBlock take cores in the order of their indices",
        """
        InitDetermineComputeWorkspace(slots, ub);
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        WaitPreBlock(slots, ub);
        DataCopy(gz, b, 64);
        NotifyNextBlock(slots, ub);
        """,
        setup=SETUP,
    ),
    Legal(
        "a core that takes no part in a barrier of some",
        "semantics 8: usedCores",
        """
        if (me == 0) {
        Duplicate(ub, 0, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(slots, ub, 64);
        }
        SyncAll();
        if (me == 0) {
        SyncAll(slots, ub, 1);
        }
        """,
        setup=SETUP,
    ),
)
"""Launched on two blocks."""
