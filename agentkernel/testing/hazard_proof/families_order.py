"""Kernels about one rule each: order inside V, barriers over all pipes, transitive flags, shared blocks, atomics."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from agentkernel.testing.hazard_proof.kernel import (
    TILE,
    MarkedKernel,
    Reference,
    barrier,
    flag,
    set_flag,
    statements,
    tbufs,
    wait_flag,
)


def _kernel(
    name: str, family: str, body: list[str], reference: Reference, *, autosync: bool = True, buffers: str = "a b c"
) -> MarkedKernel:
    return MarkedKernel(
        name=name if autosync else f"{name}_off",
        family=family,
        declarations=tuple(tbufs(buffers)),
        body=statements(body),
        autosync=autosync,
        reference=reference,
    )


def vector_order() -> Iterator[MarkedKernel]:
    """Read after write, write after read and write after write inside V, with and without automatic barriers."""
    v = barrier("V")
    chains: dict[str, tuple[list[str], Reference]] = {
        "raw": (["Adds(b, a, 1.0f, N);", v, "Muls(c, b, 3.0f, N);"], lambda x, z: (x[:TILE] + 1) * 3),
        "war": (["Adds(b, a, 1.0f, N);", v, "Duplicate(a, 4.0f, N);", v, "Mul(c, b, a, N);"],
                lambda x, z: (x[:TILE] + 1) * 4),
        "waw": (["Adds(b, a, 1.0f, N);", v, "Muls(b, a, 5.0f, N);", v, "Adds(c, b, 2.0f, N);"],
                lambda x, z: x[:TILE] * 5 + 2),
        "inplace": (["Adds(b, a, 1.0f, N);", v, "Mul(a, a, a, N);", v, "Add(c, b, a, N);"],
                    lambda x, z: x[:TILE] + 1 + x[:TILE] * x[:TILE]),
        "copy": (["DataCopy(b, a, N);", v, "Add(c, b, a, N);"], lambda x, z: 2 * x[:TILE]),
        "independent": (["Adds(b, a, 1.0f, 32);", v, "Adds(b[32], a[32], 2.0f, 32);", v, "Muls(c, b, 2.0f, N);"],
                        lambda x, z: (x[:TILE] + np.repeat([1, 2], 32)) * 2),
        "halves": (["Adds(c, a, 1.0f, 32);", v, "Adds(c[32], a[32], 2.0f, 32);"],
                   lambda x, z: x[:TILE] + np.repeat([1, 2], 32)),
    }  # fmt: skip
    for (name, (chain, reference)), autosync in product(chains.items(), (True, False)):
        body = ["DataCopy(a, x, N);", flag("MTE2_V", 0, "in"), *chain, flag("V_MTE3", 0, "out"), "DataCopy(y, c, N);"]
        yield _kernel(f"vector_{name}", "order inside V", body, reference, autosync=autosync)


def over_all_pipes() -> Iterator[MarkedKernel]:
    """PipeBarrier<PIPE_ALL> in place of flags."""
    everything = barrier("ALL")
    for tiles, autosync in product((1, 2), (True, False)):
        body = []
        for t in range(tiles):
            body += [
                f"DataCopy(a, x[{t} * N], N);",
                everything,
                "Adds(b, a, 1.0f, N);",
                everything if not autosync else "",
                "Mul(c, b, a, N);",
                everything,
                f"DataCopy(y[{t} * N], c, N);",
                everything if t + 1 < tiles else "",
            ]
        yield _kernel(
            f"all_{tiles}",
            "PIPE_ALL",
            body,
            lambda x, z, n=tiles * TILE: (x[:n] + 1) * x[:n],  # type: ignore[misc]
            autosync=autosync,
        )
    for autosync in (True, False):
        body = [
            "DataCopy(a, x, N);",
            everything,
            "float v = a.GetValue(2);",
            "Adds(b, a, v, N);",
            everything,
            "b.SetValue(0, 1.0f);",
            everything,
            "DataCopy(y, b, N);",
        ]
        yield _kernel(
            "all_scalar",
            "PIPE_ALL",
            body,
            lambda x, z: np.concatenate([[1.0], x[1:TILE] + x[2]]),
            autosync=autosync,
        )


def transitive() -> Iterator[MarkedKernel]:
    """An order that follows from two flags over a third pipe; one flag for several transfers."""
    body = [
        "DataCopy(a, x, N);",
        "DataCopy(b, z, N);",
        flag("MTE2_V", 0, "in"),
        "Adds(c, a, 1.0f, N);",
        flag("V_MTE3", 0, "out"),
        "DataCopy(y, c, N);",
        "DataCopy(y[64], b, N);",
    ]
    yield _kernel("over_vector", "transitive", body, lambda x, z: np.concatenate([x[:TILE] + 1, z[:TILE]]))
    body = [
        "DataCopy(a, x, N);",
        flag("MTE2_MTE3", 0, "in"),
        "DataCopy(y, a, N);",
        flag("MTE3_V", 0, "on"),
        "Adds(b, a, 1.0f, N);",
        "Adds(a, a, 2.0f, N);",
        flag("V_MTE3", 0, "out"),
        "DataCopy(y[64], b, N);",
        "DataCopy(y[128], a, N);",
    ]
    yield _kernel("over_store", "transitive", body, lambda x, z: np.concatenate([x[:TILE], x[:TILE] + 1, x[:TILE] + 2]))
    body = [
        "DataCopy(a, x, N);",
        set_flag("MTE2_V", 0, "first"),
        "DataCopy(b, z, N);",
        set_flag("MTE2_V", 1, "second"),
        wait_flag("MTE2_V", 1, "second"),
        "Add(c, a, b, N);",
        wait_flag("MTE2_V", 0, "first"),
        flag("V_MTE3", 0, "out"),
        "DataCopy(y, c, N);",
    ]
    yield _kernel("second_covers_first", "transitive", body, lambda x, z: x[:TILE] + z[:TILE])
    body = [
        "DataCopy(a, x, N);",
        flag("MTE2_V", 0, "in"),
        "Adds(b, a, 1.0f, N);",
        set_flag("V_MTE2", 0, "back"),
        flag("V_MTE3", 0, "out"),
        "DataCopy(y, b, N);",
        wait_flag("V_MTE2", 0, "back"),
        "DataCopy(a, z, N);",
        flag("MTE2_MTE3", 0, "next"),
        "DataCopy(y[64], a, N);",
    ]
    yield _kernel("two_ways", "transitive", body, lambda x, z: np.concatenate([x[:TILE] + 1, z[:TILE]]))


def shared_blocks() -> Iterator[MarkedKernel]:
    """Different bytes of one 32-byte block belong to different pipes: no conflict, so nothing orders them."""
    for element in (5, 7):
        body = [
            "DataCopy(a, x, N);",
            flag("MTE2_V", 0, "in"),
            flag("MTE2_S", 0, "scalar"),
            "Adds(a, a, 1.0f, 4);",
            f"a.SetValue({element}, 50.0f);",
            flag("S_MTE3", 0, "set"),
            flag("V_MTE3", 0, "out"),
            "DataCopy(y, a, N);",
        ]
        yield _kernel(
            f"shared_write_{element}",
            "shared blocks",
            body,
            lambda x, z, e=element: np.concatenate([x[:4] + 1, x[4:e], [50.0], x[e + 1 : TILE]]),  # type: ignore[misc]
            autosync=False,
        )
    body = [
        "DataCopy(a, x, N);",
        flag("MTE2_V", 0, "in"),
        flag("MTE2_S", 0, "scalar"),
        "Adds(a, a, 1.0f, 4);",
        "float v = a.GetValue(6);",
        "Adds(b, a[8], v, 8);",
        flag("V_MTE3", 0, "out"),
        "DataCopy(y, a, 8);",
        "DataCopy(y[8], b, 8);",
    ]
    yield _kernel(
        "shared_read",
        "shared blocks",
        body,
        lambda x, z: np.concatenate([x[:4] + 1, x[4:8], x[8:16] + x[6]]),
        autosync=False,
    )
    body = [
        "DataCopy(a, x, N);",
        flag("MTE2_V", 0, "in"),
        "uint64_t even[2] = {0x5555555555555555, 0};",
        "uint64_t odd[2] = {0xaaaaaaaaaaaaaaaa, 0};",
        "Adds(b, a, 1.0f, even, 1, {1, 1, 8, 8});",
        barrier("V"),
        "Adds(b, a, 2.0f, odd, 1, {1, 1, 8, 8});",
        flag("V_MTE3", 0, "out"),
        "DataCopy(y, b, N);",
    ]
    yield _kernel("masks", "shared blocks", body, lambda x, z: x[:TILE] + np.tile([1, 2], TILE // 2), autosync=False)


def atomics() -> Iterator[MarkedKernel]:
    """Atomic stores: unordered among themselves, ordered against plain ones."""
    for overlap in (True, False):
        start = 0 if overlap else TILE
        body = [
            "DataCopy(a, x, N);",
            "DataCopy(b, z, N);",
            flag("MTE2_MTE3", 0, "in"),
            "DataCopy(y, a, N);",
            f"DataCopy(y[{TILE}], a, N);",
            barrier("MTE3"),
            "SetAtomicAdd<float>();",
            "DataCopy(y, b, N);",
            barrier("MTE3"),
            f"DataCopy(y[{start}], b, N);",
            "SetAtomicNone();",
        ]
        yield _kernel(
            f"atomic_{start}",
            "atomic stores",
            body,
            (lambda x, z: np.concatenate([x[:TILE] + 2 * z[:TILE], x[:TILE]]))
            if overlap
            else (lambda x, z: np.tile(x[:TILE] + z[:TILE], 2)),
        )


def kernels() -> Iterator[MarkedKernel]:
    """All of this module."""
    yield from vector_order()
    yield from over_all_pipes()
    yield from transitive()
    yield from shared_blocks()
    yield from atomics()
