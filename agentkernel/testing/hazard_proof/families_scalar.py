"""Kernels whose scalar program reads and writes local and global memory between the instructions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from agentkernel.testing.hazard_proof.kernel import (
    TILE,
    Floats,
    MarkedKernel,
    barrier,
    flag,
    statements,
    tbufs,
)


def _kernel(name: str, family: str, body: list[str], autosync: bool, reference: object) -> MarkedKernel:
    return MarkedKernel(
        name=name if autosync else f"{name}_off",
        family=family,
        declarations=tuple(tbufs("a b c")),
        body=statements(body),
        autosync=autosync,
        reference=reference,  # type: ignore[arg-type]
    )


def reads() -> Iterator[MarkedKernel]:
    """GetValue of a loaded or computed element, used as an operand."""
    for computed, autosync in product((True, False), (True, False)):
        body = [
            "DataCopy(a, x, N);",
            flag("MTE2_V", 0, "in"),
            "Adds(b, a, 1.0f, N);" if computed else flag("MTE2_S", 0, "value") if not autosync else "",
            flag("V_S", 0, "value") if computed and not autosync else "",
            f"float v = {'b' if computed else 'a'}.GetValue(3);",
            "Muls(c, a, v, N);",
            flag("V_MTE3", 0, "out"),
            "DataCopy(y, c, N);",
        ]
        yield _kernel(
            f"get_{'computed' if computed else 'loaded'}",
            "scalar reads",
            body,
            autosync,
            lambda x, z, k=int(computed): x[:TILE] * (x[3] + k),
        )
    for autosync in (True, False):  # the element that was read is overwritten afterwards
        body = [
            "DataCopy(a, x, N);",
            flag("MTE2_V", 0, "in"),
            "Adds(b, a, 1.0f, N);",
            "" if autosync else flag("V_S", 0, "value"),
            "float v = b.GetValue(3);",
            "" if autosync else flag("S_V", 0, "taken"),
            "Muls(b, a, 2.0f, N);",
            barrier("V", when=not autosync),
            "Adds(c, b, v, N);",
            flag("V_MTE3", 0, "out"),
            "DataCopy(y, c, N);",
        ]
        yield _kernel("get_then_overwrite", "scalar reads", body, autosync, lambda x, z: 2 * x[:TILE] + x[3] + 1)
    for autosync in (True, False):  # the buffer that was read is loaded again
        body = [
            "DataCopy(a, x, N);",
            "" if autosync else flag("MTE2_S", 0, "value"),
            "float v = a.GetValue(0);",
            "" if autosync else flag("S_MTE2", 0, "taken"),
            barrier("MTE2", when=not autosync),
            "DataCopy(a, z, N);",
            flag("MTE2_V", 0, "in"),
            "Adds(b, a, v, N);",
            flag("V_MTE3", 0, "out"),
            "DataCopy(y, b, N);",
        ]
        yield _kernel("get_then_load", "scalar reads", body, autosync, lambda x, z: z[:TILE] + x[0])


def writes() -> Iterator[MarkedKernel]:
    """SetValue of an element that an instruction uses, or has used before."""
    for autosync, second in product((True, False), (0, 40)):
        body = [
            "DataCopy(a, x, N);",
            flag("MTE2_V", 0, "in"),
            "Adds(b, a, 1.0f, N);",
            "" if autosync else flag("V_S", 0, "before"),
            "b.SetValue(5, 100.0f);",
            f"b.SetValue({second}, 7.0f);",
            "" if autosync else flag("S_V", 0, "after"),
            "Muls(c, b, 2.0f, N);",
            flag("V_MTE3", 0, "out"),
            "DataCopy(y, c, N);",
        ]
        yield _kernel(f"set_for_vector_{second}", "scalar writes", body, autosync, _patched(second, 2))
    for autosync in (True, False):
        body = [
            "DataCopy(a, x, N);",
            "DataCopy(b, z, N);",
            "" if autosync else flag("MTE2_S", 0, "before"),
            "a.SetValue(5, 100.0f);",
            "a.SetValue(6, 7.0f);",
            "" if autosync else flag("S_MTE3", 0, "after"),
            "DataCopy(y, a, N);",
            flag("MTE2_MTE3", 0, "other"),
            "DataCopy(y[64], b, N);",
        ]
        yield _kernel("set_for_store", "scalar writes", body, autosync, _stored)
    for autosync in (True, False):  # a store still reads what the scalar program overwrites
        body = [
            "DataCopy(a, x, N);",
            flag("MTE2_MTE3", 0, "in"),
            "DataCopy(y, a, N);",
            "" if autosync else flag("MTE3_S", 0, "read"),
            "a.SetValue(0, 9.0f);",
            "" if autosync else flag("S_MTE3", 0, "set"),
            "DataCopy(y[64], a, N);",
        ]
        yield _kernel(
            "set_after_store",
            "scalar writes",
            body,
            autosync,
            lambda x, z: np.concatenate([x[:TILE], [9.0], x[1:TILE]]),
        )


def _patched(second: int, factor: float) -> object:
    def reference(x: Floats, z: Floats) -> Floats:
        b = x[:TILE] + 1
        b[5], b[second] = 100, 7
        return b * np.float32(factor)

    return reference


def _stored(x: Floats, z: Floats) -> Floats:
    a = x[:TILE].copy()
    a[5], a[6] = 100, 7
    return np.concatenate([a, z[:TILE]])


def mixed() -> Iterator[MarkedKernel]:
    """A value goes from V through the scalar program back to V, tile after tile."""
    for tiles, autosync in product((1, 2), (True, False)):
        body = []
        for t in range(tiles):
            body += [
                flag("V_MTE2", 1, f"back{t}") if t else "",
                f"DataCopy(a, x[{t} * N], N);",
                flag("MTE2_V", 0, f"in{t}"),
                flag("MTE3_V", 1, f"free{t}") if t else "",
                "Adds(b, a, 1.0f, N);",
                "" if autosync else flag("V_S", 0, f"get{t}"),
                "b.SetValue(1, b.GetValue(0) * 2.0f);",
                "" if autosync else flag("S_V", 0, f"set{t}"),
                "Mul(c, b, a, N);",
                flag("V_MTE3", 0, f"out{t}"),
                f"DataCopy(y[{t} * N], c, N);",
            ]
        yield _kernel(f"mixed_{tiles}", "scalar reads and writes", body, autosync, _mixed(tiles))


def _mixed(tiles: int) -> object:
    def reference(x: Floats, z: Floats) -> Floats:
        a = x[: tiles * TILE].reshape(tiles, TILE)
        b = a + 1
        b[:, 1] = b[:, 0] * 2
        return (b * a).reshape(-1)

    return reference


def reductions() -> Iterator[MarkedKernel]:
    """ReduceSum, whose result the library stores by a scalar write, then read by the program or by V."""
    for read, autosync in product((True, False), (True, False)):
        use = (
            ["" if autosync else flag("V_S", 0, "sum"), "float v = b.GetValue(0);", "Muls(c, a, v, N);"]
            if read
            else ["Duplicate(c, 0.0f, N);", barrier("V", when=not autosync), "Add(c, c, b, 1);"]
        )
        body = [
            "Duplicate(b, 0.0f, N);",
            "DataCopy(a, x, N);",
            flag("MTE2_V", 0, "in"),
            barrier("V", when=not autosync),
            "ReduceSum(b, a, c, N);",
            barrier("V", when=not autosync),
            *use,
            flag("V_MTE3", 0, "out"),
            "DataCopy(y, c, N);",
        ]
        yield _kernel(
            f"sum_{'read' if read else 'added'}", "reductions", body, autosync, _summed if read else _first_summed
        )


def _summed(x: Floats, z: Floats) -> Floats:
    total = np.float32(x[:TILE].sum())
    return x[:TILE] * total


def _first_summed(x: Floats, z: Floats) -> Floats:
    return np.concatenate([[x[:TILE].sum(dtype=np.float32)], np.zeros(TILE - 1)]).astype(np.float32)


def global_memory() -> Iterator[MarkedKernel]:
    """Scalar accesses of global memory: reads of inputs and of what MTE3 stored, writes cleaned for MTE2."""
    for autosync in (True, False):
        body = [
            "float v = z.GetValue(7);",
            "DataCopy(a, x, N);",
            flag("MTE2_V", 0, "in"),
            "Muls(b, a, v, N);",
            flag("V_MTE3", 0, "out"),
            "DataCopy(w, b, N);",
            "" if autosync else flag("MTE3_S", 0, "stored"),
            "float u = w.GetValue(1);",
            "Adds(c, a, u, N);",
            flag("V_MTE3", 1, "last"),
            "DataCopy(y, c, N);",
        ]
        yield _kernel("get_global", "scalar and global memory", body, autosync, lambda x, z: x[:TILE] + x[1] * z[7])
    for autosync in (True, False):
        body = [
            "for (int32_t i = 0; i < 8; ++i) { w.SetValue(i, 5.0f + i); }",
            "DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(w);",
            "DataCopy(a, w, 8);",
            "DataCopy(a[8], x[8], N - 8);",
            flag("MTE2_MTE3", 0, "in"),
            "DataCopy(y, a, N);",
        ]
        yield _kernel(
            "set_global",
            "scalar and global memory",
            body,
            autosync,
            lambda x, z: np.concatenate([np.arange(5, 13), x[8:TILE]]),
        )


def kernels() -> Iterator[MarkedKernel]:
    """All of this module."""
    yield from reads()
    yield from writes()
    yield from mixed()
    yield from reductions()
    yield from global_memory()
