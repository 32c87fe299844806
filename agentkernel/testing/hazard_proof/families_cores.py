"""Kernels of several cores that share global memory: barriers, flags, slots and turns between them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from agentkernel.testing.hazard_proof.kernel import (
    TILE,
    Floats,
    MarkedKernel,
    Reference,
    flag,
    set_flag,
    statements,
    tbufs,
    wait_flag,
)

_SLOTS = """GlobalTensor<int32_t> slots; slots.SetGlobalBuffer((__gm__ int32_t*)gw + 1024);
TBuf<> words; pipe.InitBuffer(words, 1024);
LocalTensor<int32_t> ub = words.Get<int32_t>();"""
_ZERO = """if (me == 0) {
Duplicate(ub, 0, 256);
SetFlag<HardEvent::V_MTE3>(6);
WaitFlag<HardEvent::V_MTE3>(6);
DataCopy(slots, ub, 256);
}
SyncAll();
"""
"""Zeros for the slots, ordered before everything: not under test."""


def _kernel(
    name: str, family: str, body: str, reference: Reference, *, blocks: int = 2, slots: bool = False
) -> MarkedKernel:
    declarations = [*tbufs("a b c"), "const int32_t me = GetBlockIdx();", "const int32_t n = GetBlockNum();"]
    return MarkedKernel(
        name=name,
        family=family,
        declarations=(*declarations, *(_SLOTS.splitlines() if slots else ())),
        body=statements((_ZERO if slots else "") + body),
        autosync=True,
        reference=reference,
        blocks=blocks,
    )


def _tiles(blocks: int, shift: int = 0) -> Reference:
    """Tiles of x, each core's handed to the one `shift` before it."""

    def reference(x: Floats, z: Floats) -> Floats:
        return np.roll(x[: blocks * TILE].reshape(blocks, TILE), -shift, axis=0).reshape(-1)

    return reference


def _sync(kind: str, edge: str, number: int = 3) -> str:
    if kind == "barrier":
        return "SyncAll();  //~\n"
    return f"CrossCoreSetFlag<0, PIPE_MTE3>({number});  //~{edge}\nCrossCoreWaitFlag({number});  //~{edge}\n"


def _rest(number: int) -> str:
    """Loads are complete before the core tells that they are: a flag of MTE3 does not cover MTE2."""
    return flag("MTE2_MTE3", number, f"rest{number}")


_STORE = "DataCopy(a, x[me * N], N);\n" + flag("MTE2_MTE3", 0, "first") + "DataCopy(w[me * N], a, N);\n"
_TAKE = "DataCopy(b, w[(me + 1) % n * N], N);\n" + flag("MTE2_MTE3", 1, "second") + "DataCopy(y[me * N], b, N);\n"


def exchange() -> Iterator[MarkedKernel]:
    """Every core stores a tile and takes its neighbour's."""
    for blocks in (2, 3):
        for kind in ("barrier", "flags"):
            body = _STORE + _sync(kind, "exchange") + _TAKE
            yield _kernel(f"exchange_{blocks}_{kind}", "exchange between cores", body, _tiles(blocks, 1), blocks=blocks)


def exchange_twice() -> Iterator[MarkedKernel]:
    """The tiles are stored again after everybody has read them: a second synchronisation keeps that apart."""
    for kind in ("barrier", "flags"):
        body = (
            _STORE
            + _sync(kind, "one")
            + "DataCopy(b, w[(me + 1) % n * N], N);\n"
            + _rest(1)
            + _sync(kind, "two")
            + "DataCopy(w[me * N], b, N);\n"
            + _sync(kind, "three")
            + "DataCopy(c, w[(me + 1) % n * N], N);\n"
            + flag("MTE2_MTE3", 2, "last")
            + "DataCopy(y[me * N], c, N);\n"
        )
        yield _kernel(f"exchange_twice_{kind}", "exchange between cores", body, _tiles(2, 2))


def one_to_all() -> Iterator[MarkedKernel]:
    """Core 0 computes what all others use."""
    for kind, blocks in (("barrier", 2), ("flags", 2), ("barrier", 3)):
        body = (
            "if (me == 0) {\nDataCopy(a, x, N);\n"
            + flag("MTE2_V", 0, "in")
            + "Muls(b, a, 3.0f, N);\n"
            + flag("V_MTE3", 0, "out")
            + "DataCopy(w, b, N);\n}\n"
            + _sync(kind, "all")
            + "DataCopy(c, w, N);\n"
            + flag("MTE2_MTE3", 1, "last")
            + "DataCopy(y[me * N], c, N);\n"
        )

        def reference(x: Floats, z: Floats, blocks: int = blocks) -> Floats:
            return np.tile(3 * x[:TILE], blocks)

        yield _kernel(f"one_to_all_{kind}_{blocks}", "one core for all", body, reference, blocks=blocks)


def apart() -> Iterator[MarkedKernel]:
    """Cores that need no synchronisation: what is there is superfluous."""
    for kind in ("barrier", "flags"):
        body = _STORE + _sync(kind, "idle") + "DataCopy(b, z[me * N], N);\n" + flag("MTE2_MTE3", 1, "z")
        body += "DataCopy(y[me * N], b, N);\n"
        yield _kernel(f"apart_{kind}", "cores apart", body, lambda x, z: z[: 2 * TILE])


def sums() -> Iterator[MarkedKernel]:
    """Atomic sums into a tile that one core has set before and one reads afterwards."""
    for blocks in (2, 3):
        body = (
            "if (me == 0) {\nDataCopy(a, z, N);\n"
            + flag("MTE2_MTE3", 0, "z")
            + "DataCopy(y, a, N);\n}\nSyncAll();  //~\nDataCopy(b, x[me * N], N);\n"
            + flag("MTE2_MTE3", 1, "x")
            + "SetAtomicAdd<float>();\nDataCopy(y, b, N);\nSetAtomicNone();\nSyncAll();  //~\nif (me == n - 1) {\n"
            + "DataCopy(c, y, N);\n"
            + flag("MTE2_MTE3", 2, "y")
            + "DataCopy(y[N], c, N);\n}\n"
        )

        def reference(x: Floats, z: Floats, blocks: int = blocks) -> Floats:
            return np.tile(z[:TILE] + x[: blocks * TILE].reshape(blocks, TILE).sum(axis=0), 2)

        yield _kernel(f"sums_{blocks}", "atomic sums", body, reference, blocks=blocks)


def slots() -> Iterator[MarkedKernel]:
    """IBSet and IBWait: one core behind another."""
    for blocks in (2, 3):
        body = (
            "DataCopy(a, x[me * N], N);\n"
            + flag("MTE2_V", 0, "in")
            + "if (me > 0) {\nIBWait(slots, ub, me - 1, 0);  //~slot\nDataCopy(b, y[(me - 1) * N], N);\n"
            + flag("MTE2_V", 1, "before")
            + "Add(a, a, b, N);\n}\n"
            + flag("V_MTE3", 0, "out")
            + "DataCopy(y[me * N], a, N);\nif (me < n - 1) {\nIBSet(slots, ub, me, 0);  //~slot\n}\n"
        )

        def reference(x: Floats, z: Floats, blocks: int = blocks) -> Floats:
            return np.cumsum(x[: blocks * TILE].reshape(blocks, TILE), axis=0).reshape(-1)

        yield _kernel(f"slots_{blocks}", "one core behind another", body, reference, blocks=blocks, slots=True)


def turns() -> Iterator[MarkedKernel]:
    """WaitPreBlock and NotifyNextBlock: cores overwrite one tile in turn."""
    for blocks in (2, 3):
        body = (
            "InitDetermineComputeWorkspace(slots, ub);\nDataCopy(a, x[me * N], N);\n"
            + flag("MTE2_MTE3", 0, "in")
            + "WaitPreBlock(slots, ub);  //~turn\nDataCopy(y, a, N);\nNotifyNextBlock(slots, ub);  //~turn\n"
        )

        def reference(x: Floats, z: Floats, blocks: int = blocks) -> Floats:
            return x[(blocks - 1) * TILE : blocks * TILE]

        yield _kernel(f"turns_{blocks}", "cores in turn", body, reference, blocks=blocks, slots=True)


def groups() -> Iterator[MarkedKernel]:
    """GroupBarrier: cores that wait for others, twice."""
    for blocks in (2, 3):
        give = (
            "if (me == 0) {\nDataCopy(a, x, N);\n"
            + flag("MTE2_MTE3", 0, "x")
            + "DataCopy(w, a, N);\ngroup.Arrive(0);  //~one\nDataCopy(b, z, N);\n"
            + flag("MTE2_MTE3", 1, "z")
            + "DataCopy(w[N], b, N);\ngroup.Arrive(0);  //~two\n} else {\n"
        )
        take = (
            "group.Wait(me - 1);  //~one\nDataCopy(a, w, N);\n"
            + flag("MTE2_MTE3", 0, "w")
            + "DataCopy(y[(me - 1) * 2 * N], a, N);\ngroup.Wait(me - 1);  //~two\nDataCopy(b, w[N], N);\n"
            + flag("MTE2_MTE3", 1, "v")
            + "DataCopy(y[(me - 1) * 2 * N + N], b, N);\n}\n"
        )
        made = f"GroupBarrier<PipeMode::MTE3_MODE> group(gw + 4096, 1, {blocks - 1});\n"

        def reference(x: Floats, z: Floats, blocks: int = blocks) -> Floats:
            return np.tile(np.concatenate([x[:TILE], z[:TILE]]), blocks - 1)

        yield _kernel(
            f"groups_{blocks}", "cores that wait for others", made + give + take, reference, blocks=blocks, slots=True
        )


def held() -> Iterator[MarkedKernel]:
    """A pipe of one core waits for another pipe while it already has the signal behind it."""
    body = (
        "DataCopy(a, x[me * N], N);\n"
        + set_flag("MTE2_V", 0, "in")
        + wait_flag("MTE2_V", 0, "in")
        + "Adds(b, a, 1.0f, N);\n"
        + flag("V_MTE3", 0, "out")
        + "DataCopy(w[me * N], b, N);\nCrossCoreSetFlag<0, PIPE_MTE3>(3);  //~cross\nDataCopy(c, z[me * N], N);\n"
        + flag("MTE2_V", 1, "z")
        + "CrossCoreWaitFlag(3);  //~cross\nDataCopy(a, w[(me + 1) % n * N], N);\n"
        + flag("MTE2_V", 2, "w")
        + "Add(c, c, a, N);\n"
        + flag("V_MTE3", 1, "last")
        + "DataCopy(y[me * N], c, N);\n"
    )

    def reference(x: Floats, z: Floats) -> Floats:
        tiles = x[: 2 * TILE].reshape(2, TILE) + 1
        return (z[: 2 * TILE].reshape(2, TILE) + tiles[::-1]).reshape(-1)

    yield _kernel("held_signal", "exchange between cores", body, reference)


def kernels() -> Iterator[MarkedKernel]:
    """All of them."""
    for family in (exchange, exchange_twice, one_to_all, apart, sums, slots, turns, groups, held):
        yield from family()
