"""Flags: pairs, ids, deadlocks."""

from __future__ import annotations

from .mistake import Legal, Mistake

_PAIRS = "pitfalls 18: strictly paired for each event and id"
_TWICE = "pitfalls 19: an id is one bit"
_HANG = "semantics 6: an unmatched event or id hangs"
# semantics 6: what a second SetFlag does is undefined, so it may leave the flag set
_UNDEFINED = ("flag-left-set",)
_RANGE = "pitfalls 20: ids 0..7"

MISTAKES = (
    Mistake(
        "set and never waited for",
        _PAIRS,
        ("flag-left-set",),
        """
        DataCopy(a, gx, 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID2); //@
        + WaitFlag<HardEvent::MTE2_V>(EVENT_ID2);
        """,
        words=("MTE2_V", "2"),
    ),
    Mistake(
        "TQueSync set and never waited for",
        _PAIRS,
        ("flag-left-set",),
        """
        TQueSync<PIPE_MTE2, PIPE_V> sync;
        DataCopy(a, gx, 64);
        sync.SetFlag(EVENT_ID1); //@
        + sync.WaitFlag(EVENT_ID1);
        """,
        words=("MTE2_V",),
    ),
    Mistake(
        "set on one branch, waited for on another",
        _PAIRS,
        ("flag-left-set",),
        """
        DataCopy(a, gx, 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0); //@
        - if (GetBlockIdx() > 0) {
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        - }
        """,
        words=("MTE2_V",),
    ),
    Mistake(
        "waited for and never set",
        _HANG,
        ("deadlock",),
        """
        + SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID3); //@
        Duplicate(a, 1.0f, 64);
        """,
        words=("MTE2_V", "3"),
    ),
    Mistake(
        "raw wait_flag without set_flag",
        _HANG,
        ("deadlock",),
        """
        + set_flag(PIPE_V, PIPE_MTE3, EVENT_ID1);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID1); //@
        """,
        words=("V_MTE3", "1"),
    ),
    Mistake(
        "other event waited for",
        _HANG,
        ("deadlock",),
        """
        DataCopy(a, gx, 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        - WaitFlag<HardEvent::MTE3_V>(EVENT_ID0); //@
        + WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Adds(b, a, 1.0f, 64);
        """,
        words=("MTE3_V",),
        follows=("flag-left-set", "missing-sync"),
    ),
    Mistake(
        "other id waited for",
        _HANG,
        ("deadlock",),
        """
        DataCopy(a, gx, 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        - WaitFlag<HardEvent::MTE2_V>(EVENT_ID1); //@
        + WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Adds(b, a, 1.0f, 64);
        """,
        words=("MTE2_V", "1"),
        follows=("flag-left-set", "missing-sync"),
    ),
    Mistake(
        "two pipes wait for each other",
        _HANG,
        ("deadlock",),
        """
        - WaitFlag<HardEvent::V_MTE2>(EVENT_ID0); //@
        DataCopy(a, gx, 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0); //@
        Adds(b, a, 1.0f, 64);
        SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
        + WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
        """,
        words=("V_MTE2", "MTE2_V"),
    ),
    Mistake(
        "scalar unit waits before the set is issued",
        "semantics 6: the scalar unit itself stalls in an x_S wait",
        ("deadlock",),
        """
        - WaitFlag<HardEvent::MTE2_S>(EVENT_ID0); //@
        DataCopy(a, gx, 64);
        SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
        + WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
        """,
        words=("MTE2_S",),
    ),
    Mistake(
        "waited for twice",
        _HANG,
        ("deadlock",),
        """
        DataCopy(a, gx, 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        - WaitFlag<HardEvent::MTE2_V>(EVENT_ID0); //@
        Adds(b, a, 1.0f, 64);
        """,
        words=("MTE2_V",),
    ),
    Mistake(
        "set twice",
        _TWICE,
        ("flag-already-set",),
        """
        DataCopy(a, gx, 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0); //@
        + WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        DataCopy(b, gx, 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0); //@
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        """,
        words=("MTE2_V", "0"),
        follows=_UNDEFINED,
    ),
    Mistake(
        "set in a loop, waited for behind it",
        _TWICE,
        ("flag-already-set",),
        """
        for (int i = 0; i < 3; i++) {
        Duplicate(b, 1.0f, 64);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0); //@
        + WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        }
        - WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        """,
        words=("V_MTE3",),
        follows=_UNDEFINED,
    ),
    Mistake(
        "id of a queue set by hand",
        "pitfalls 20: hard-coded ids collide with those of queues",
        ("flag-already-set",),
        """
        LocalTensor<float> t = in.AllocTensor<float>();
        DataCopy(t, gx, 64);
        in.EnQue(t);
        - SetFlag<HardEvent::MTE2_V>(EVENT_ID0); //@
        - WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        + TEventID id = pipe.AllocEventID<HardEvent::MTE2_V>();
        + SetFlag<HardEvent::MTE2_V>(id);
        + WaitFlag<HardEvent::MTE2_V>(id);
        + pipe.ReleaseEventID<HardEvent::MTE2_V>(id);
        t = in.DeQue<float>();
        in.FreeTensor(t);
        """,
        setup="""
        TPipe pipe;
        TQue<TPosition::VECIN, 1> in;
        pipe.InitBuffer(in, 1, 256);
        """,
        words=("MTE2_V",),
        follows=("deadlock",),
    ),
    Mistake(
        "id 8",
        _RANGE,
        ("event-id-range",),
        """
        - SetFlag<HardEvent::MTE2_V>(8); //@
        - WaitFlag<HardEvent::MTE2_V>(8);
        + SetFlag<HardEvent::MTE2_V>(7);
        + WaitFlag<HardEvent::MTE2_V>(7);
        """,
        words=("8",),
        follows=("deadlock",),
    ),
    Mistake(
        "id -1",
        _RANGE,
        ("event-id-range",),
        """
        - SetFlag<HardEvent::MTE2_V>(-1); //@
        - WaitFlag<HardEvent::MTE2_V>(-1);
        """,
        words=("-1",),
        follows=("deadlock",),
    ),
    Mistake(
        "nine ids of one event",
        "semantics 5: 8 ids of each event",
        ("event-ids-exhausted",),
        """
        - for (int i = 0; i < 9; i++) {
        + for (int i = 0; i < 8; i++) {
        pipe.AllocEventID<HardEvent::V_MTE3>(); //@
        }
        """,
        words=("V_MTE3",),
    ),
)

LEGAL = (
    Legal(
        "two ids of one event",
        "semantics 6: one bit for each event and id",
        """
        DataCopy(a, gx, 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        DataCopy(b, gy, 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Adds(c, a, 1.0f, 64);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
        Adds(d, b, 1.0f, 64);
        """,
    ),
    Legal(
        "one id of two events",
        "semantics 6: one bit for each event and id",
        """
        DataCopy(a, gx, 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        DataCopy(gz, a, 64);
        Adds(b, a, 1.0f, 64);
        """,
    ),
    Legal(
        "raw flags",
        "overloads 1.1: set_flag is the event of SetFlag",
        """
        DataCopy(a, gx, 64);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        Adds(b, a, 1.0f, 64);
        SetFlag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(gz, b, 64);
        """,
    ),
    Legal(
        "TQueSync",
        "semantics 6: a wrapper of the same flag",
        """
        TQueSync<PIPE_MTE2, PIPE_V> sync;
        DataCopy(a, gx, 64);
        sync.SetFlag(EVENT_ID3);
        sync.WaitFlag(EVENT_ID3);
        Adds(b, a, 1.0f, 64);
        """,
    ),
    Legal(
        "peeked id",
        "semantics 5: FetchEventID peeks the lowest free id",
        """
        int32_t id = static_cast<int32_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_V));
        DataCopy(a, gx, 64);
        SetFlag<HardEvent::MTE2_V>(id);
        WaitFlag<HardEvent::MTE2_V>(id);
        Adds(b, a, 1.0f, 64);
        """,
    ),
    Legal(
        "ids released and taken again",
        "semantics 5: AllocEventID reserves until released",
        """
        for (int i = 0; i < 20; i++) {
        TEventID id = pipe.AllocEventID<HardEvent::MTE2_V>();
        pipe.ReleaseEventID<HardEvent::MTE2_V>(id);
        }
        """,
    ),
    Legal(
        "flags of the cube core",
        "overloads 2.7: no effect on the vector core",
        """
        SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
        WaitFlag<HardEvent::M_MTE1>(EVENT_ID0);
        """,
    ),
    Legal(
        "ping-pong by hand",
        "semantics 6: two ids for two buffers",
        """
        SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
        SetFlag<HardEvent::V_MTE2>(EVENT_ID1);
        for (int i = 0; i < 4; i++) {
        LocalTensor<float> t = i % 2 == 0 ? a : b;
        WaitFlag<HardEvent::V_MTE2>(i % 2);
        DataCopy(t, gx[i * 64], 64);
        SetFlag<HardEvent::MTE2_V>(i % 2);
        WaitFlag<HardEvent::MTE2_V>(i % 2);
        Adds(c, t, 1.0f, 64);
        SetFlag<HardEvent::V_MTE2>(i % 2);
        }
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE2>(EVENT_ID1);
        """,
    ),
)
