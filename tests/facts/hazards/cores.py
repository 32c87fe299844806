"""Two cores on one global memory, and the scalar unit's cache."""

from __future__ import annotations

from .mistake import Legal, Mistake

_RACE = "pitfalls 37: cores must not write the same bytes"
_LINE = "pitfalls 43, semantics 17: lines of 64 bytes"

RACES = (
    Mistake(
        "both cores write the same place",
        _RACE,
        ("gm-race",),
        """
        Duplicate(b, static_cast<float>(GetBlockIdx()), 64);
        Sync<HardEvent::V_MTE3>();
        if (GetBlockIdx() == 0) {
        DataCopy(gz, b, 64); //@
        } else {
        - DataCopy(gz[32], b, 64); //@
        + DataCopy(gz[64], b, 64);
        }
        """,
    ),
    Mistake(
        "tail rounded up into the neighbour's part",
        _RACE,
        ("gm-race",),
        """
        Duplicate(b, static_cast<float>(GetBlockIdx()), 64);
        Sync<HardEvent::V_MTE3>();
        - DataCopy(gz[GetBlockIdx() * 12], b, 16); //@
        + DataCopyPad(gz[GetBlockIdx() * 12], b, {1, 48, 0, 0, 0});
        """,
    ),
    Mistake(
        "both cores write the same values to the same place",
        _RACE,
        ("gm-race",),
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        - DataCopy(gz, b, 64); //@
        + DataCopy(gz[GetBlockIdx() * 64], b, 64);
        """,
        fails=False,
    ),
    Mistake(
        "one core reads what the other writes",
        "semantics 8: nothing but inter-core synchronisation orders cores",
        ("gm-race",),
        """
        if (GetBlockIdx() == 0) {
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz, b, 64); //@
        } else {
        - DataCopy(a, gz, 64); //@
        + DataCopy(a, gx, 64);
        }
        """,
        follows=("uninitialised-read",),
    ),
    Mistake(
        "scalar stores of both cores to one line",
        _LINE,
        ("dcache-false-sharing",),
        """
        - gz.SetValue(GetBlockIdx(), 1.0f); //@
        + gz.SetValue(GetBlockIdx() * 16, 1.0f);
        Flush(gz[GetBlockIdx() * 16]);
        """,
        follows=("dcache-not-flushed",),
    ),
)
"""Launched on two blocks."""

CACHE = (
    Mistake(
        "MTE2 reads a line that was not flushed",
        _LINE,
        ("dcache-not-flushed",),
        """
        gz.SetValue(0, 1.0f); //@
        + Flush(gz);
        Sync<HardEvent::S_MTE2>();
        DataCopyPadExtParams<float> pad{false, 0, 0, 0.0f};
        DataCopyPad(a, gz, {1, 4, 0, 0, 0}, pad); //@
        """,
        follows=("uninitialised-read",),
    ),
    Mistake(
        "scalar reads a line that MTE3 has written since",
        "pitfalls 44: invalidate the line before the second read",
        ("dcache-stale",),
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz, b, 64);
        Sync<HardEvent::MTE3_S>();
        float before = gz.GetValue(0);
        Duplicate(c, 2.0f, 64);
        Sync<HardEvent::V_MTE3>();
        PipeBarrier<PIPE_MTE3>();
        DataCopy(gz, c, 64); //@
        Sync<HardEvent::MTE3_S>();
        + Flush(gz);
        float after = gz.GetValue(1); //@
        """,
    ),
    Mistake(
        "scalar reads a line beside its own store",
        "pitfalls 44, semantics 17: a store loads its line, too",
        ("dcache-stale",),
        """
        gz.SetValue(0, 1.0f);
        Duplicate(c, 2.0f, 64);
        Sync<HardEvent::V_MTE3>();
        + Flush(gz);
        DataCopyPad(gz[1], c, {1, 4, 0, 0, 0}); //@
        Sync<HardEvent::MTE3_S>();
        float after = gz.GetValue(1); //@
        """,
    ),
)

LEGAL = (
    Legal(
        "cores write different bytes of one block",
        _RACE,
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopyPad(gz[GetBlockIdx()], b, {1, 4, 0, 0, 0});
        """,
    ),
    Legal(
        "cores write neighbouring blocks",
        _RACE,
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz[GetBlockIdx() * 8], b, 8);
        """,
    ),
    Legal(
        "cores read the same place",
        "semantics 7: two reads are no conflict",
        """
        DataCopy(a, gx, 64);
        float v = gx.GetValue(3);
        """,
    ),
    Legal(
        "cores write different outputs",
        _RACE,
        """
        Duplicate(b, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        if (GetBlockIdx() == 0) {
        DataCopy(gz, b, 64);
        } else {
        DataCopy(gw, b, 64);
        }
        """,
    ),
    Legal(
        "each core has its own UB",
        "semantics 1: UB is private to each vector core",
        """
        Duplicate(a, 1.0f, 64);
        Adds(b, a, 1.0f, 64);
        Sync<HardEvent::V_MTE3>();
        DataCopy(gz[GetBlockIdx() * 64], b, 64);
        """,
    ),
    Legal(
        "flags of each core are its own",
        "semantics 6: flags order pipes of one core",
        """
        DataCopy(a, gx, 64);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Adds(b, a, 1.0f, 64);
        """,
    ),
)
"""Launched on two blocks."""
