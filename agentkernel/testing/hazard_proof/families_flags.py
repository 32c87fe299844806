"""Kernels on TBufs, ordered by hand with flags and barriers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from agentkernel.testing.hazard_proof.kernel import (
    TILE,
    MarkedKernel,
    barrier,
    flag,
    set_flag,
    statements,
    tbufs,
    wait_flag,
)


def _off(autosync: bool) -> str:
    return "" if autosync else "_off"


def one_tile() -> Iterator[MarkedKernel]:
    """In, a chain of vector operations through scratch buffers, out."""
    for length, autosync in product((1, 2, 3), (True, False)):
        chain = ["Adds(b, a, 1.0f, N);", "Mul(c, b, a, N);", "Sub(b, c, a, N);"][:length]
        last = "b" if length != 2 else "c"
        body = [
            "DataCopy(a, x, N);",
            flag("MTE2_V", 0, "in"),
            barrier("V", when=not autosync).join(f"{op}\n" for op in chain),
            flag("V_MTE3", 1, "out"),
            f"DataCopy(y, {last}, N);",
        ]
        yield MarkedKernel(
            name=f"chain_{length}{_off(autosync)}",
            family="flags, one tile",
            declarations=tuple(tbufs("a b c")),
            body=statements(body),
            autosync=autosync,
            reference=lambda x, z, k=length: (  # type: ignore[misc]
                x[:TILE] + 1,
                (x[:TILE] + 1) * x[:TILE],
                (x[:TILE] + 1) * x[:TILE] - x[:TILE],
            )[k - 1],
        )


def reused_buffers() -> Iterator[MarkedKernel]:
    """Two or three tiles through the same buffers: flags forward and back."""
    for tiles, in_place, autosync in product((2, 3), (False, True), (True, False)):
        out = "a" if in_place else "b"
        body = []
        for t in range(tiles):
            if t:
                body.append(wait_flag("MTE3_MTE2" if in_place else "V_MTE2", 0, f"back{t}"))
            body += [f"DataCopy(a, x[{t} * N], N);", flag("MTE2_V", 1, f"in{t}")]
            if t and not in_place:
                body.append(wait_flag("MTE3_V", 2, f"free{t}"))
            body += [
                f"Adds({out}, a, 1.0f, N);",
                barrier("V", when=not autosync),
                f"Muls({out}, {out}, 2.0f, N);",
            ]
            if t + 1 < tiles and not in_place:
                body.append(set_flag("V_MTE2", 0, f"back{t + 1}"))
            body += [flag("V_MTE3", 3, f"out{t}"), f"DataCopy(y[{t} * N], {out}, N);"]
            if t + 1 < tiles:
                body.append(
                    set_flag(
                        "MTE3_MTE2" if in_place else "MTE3_V",
                        0 if in_place else 2,
                        f"back{t + 1}" if in_place else f"free{t + 1}",
                    )
                )
        yield MarkedKernel(
            name=f"reuse_{tiles}{'_inplace' if in_place else ''}{_off(autosync)}",
            family="flags, buffers used again",
            declarations=tuple(tbufs("a b")),
            body=statements(body),
            autosync=autosync,
            reference=lambda x, z, n=tiles * TILE: (x[:n] + 1) * 2,  # type: ignore[misc]
        )


def ping_pong() -> Iterator[MarkedKernel]:
    """A loop over two halves of a buffer, an event id for each, primed before and drained behind."""
    for tiles, autosync in product((2, 4), (True, False)):
        half = "(t % 2)"
        body = [
            set_flag("V_MTE2", 0, ""),
            set_flag("V_MTE2", 1, ""),
            set_flag("MTE3_V", 0, ""),
            set_flag("MTE3_V", 1, ""),
            f"for (int32_t t = 0; t < {tiles}; ++t) {{",
            f"WaitFlag<HardEvent::V_MTE2>({half});  //~",
            f"DataCopy(a[{half} * N], x[t * N], N);",
            f"SetFlag<HardEvent::MTE2_V>({half});  //~in",
            f"WaitFlag<HardEvent::MTE2_V>({half});  //~in",
            f"WaitFlag<HardEvent::MTE3_V>({half});  //~",
            f"Adds(b[{half} * N], a[{half} * N], 1.0f, N);",
            f"SetFlag<HardEvent::V_MTE2>({half});  //~",
            f"SetFlag<HardEvent::V_MTE3>({half});  //~out",
            f"WaitFlag<HardEvent::V_MTE3>({half});  //~out",
            f"DataCopy(y[t * N], b[{half} * N], N);",
            f"SetFlag<HardEvent::MTE3_V>({half});  //~",
            "}",
            wait_flag("V_MTE2", 0, ""),
            wait_flag("V_MTE2", 1, ""),
            wait_flag("MTE3_V", 0, ""),
            wait_flag("MTE3_V", 1, ""),
        ]
        yield MarkedKernel(
            name=f"ping_pong_{tiles}{_off(autosync)}",
            family="flags, ping-pong loop",
            declarations=tuple(tbufs("a b", 2 * TILE)),
            body=statements(body),
            autosync=autosync,
            reference=lambda x, z, n=tiles * TILE: x[:n] + 1,  # type: ignore[misc]
        )


def stages() -> Iterator[MarkedKernel]:
    """Three stages over tiles, each through its own buffer, with event ids taken from the pipe."""
    for tiles, allocated in product((1, 2), (True, False)):
        body = []
        if allocated:
            body.append("int32_t go = pipe.AllocEventID<HardEvent::MTE2_V>();")
        else:
            body.append("int32_t go = pipe.FetchEventID(HardEvent::MTE2_V);")
        for t in range(tiles):
            if t:
                body.append(wait_flag("V_MTE2", 0, f"back{t}"))
            body += [
                f"DataCopy(a, x[{t} * N], N);",
                f"DataCopy(c, z[{t} * N], N);",
                f"SetFlag<HardEvent::MTE2_V>(go);  //~in{t}",
                f"WaitFlag<HardEvent::MTE2_V>(go);  //~in{t}",
            ]
            if t:
                body.append(wait_flag("MTE3_V", 0, f"free{t}"))
            body += ["Add(b, a, c, N);", "Mul(d, b, c, N);"]
            if t + 1 < tiles:
                body.append(set_flag("V_MTE2", 0, f"back{t + 1}"))
            body += [flag("V_MTE3", 0, f"out{t}"), f"DataCopy(y[{t} * N], d, N);"]
            if t + 1 < tiles:
                body.append(set_flag("MTE3_V", 0, f"free{t + 1}"))
        if allocated:
            body.append("pipe.ReleaseEventID<HardEvent::MTE2_V>(go);")
        yield MarkedKernel(
            name=f"stages_{tiles}_{'alloc' if allocated else 'fetch'}",
            family="flags, three stages",
            declarations=tuple(tbufs("a b c d")),
            body=statements(body),
            autosync=True,
            reference=lambda x, z, n=tiles * TILE: (x[:n] + z[:n]) * z[:n],  # type: ignore[misc]
        )


def through_global_memory() -> Iterator[MarkedKernel]:
    """Out to the workspace and in again: MTE3 to MTE2."""
    for overlap, autosync in product((1.0, 0.5, 0.0), (True, False)):
        start = int(TILE * (1 - overlap))
        body = [
            "DataCopy(a, x, N);",
            "DataCopy(c, z, N);" if start else "",
            flag("MTE2_V", 0, "in"),
            "Adds(b, a, 5.0f, N);",
            flag("V_MTE3", 0, "out"),
            "DataCopy(w[64], c, N);" if start else "",
            barrier("MTE3") if start else "",
            "DataCopy(w, b, N);",
            flag("MTE3_MTE2", 0, "round"),
            f"DataCopy(d, w[{start}], N);",
            flag("MTE2_MTE3", 1, "back"),
            "DataCopy(y, d, N);",
        ]
        yield MarkedKernel(
            name=f"round_trip_{start}{_off(autosync)}",
            family="through global memory",
            declarations=tuple(tbufs("a b c d")),
            body=statements(body),
            autosync=autosync,
            reference=lambda x, z, s=start: np.concatenate([x[:TILE] + 5, z[:TILE]])[s : s + TILE],  # type: ignore[misc]
        )


def overlapping_loads() -> Iterator[MarkedKernel]:
    """Two loads of which the second overwrites all, half or nothing of the first."""
    for shift, autosync in product((0, 32, 64), (True, False)):
        body = [
            "DataCopy(a, x, N);",
            barrier("MTE2"),
            f"DataCopy(a[{shift}], z, N);",
            flag("MTE2_V", 0, "in"),
            "Adds(b, a, 1.0f, 2 * N);",
            flag("V_MTE3", 0, "out"),
            "DataCopy(y, b, 2 * N);",
        ]
        if shift != TILE:
            body.insert(0, "DataCopy(a[64], z[64], N);\n" + barrier("MTE2", when=shift != 0))
        yield MarkedKernel(
            name=f"loads_{shift}{_off(autosync)}",
            family="overlapping loads",
            declarations=tuple(tbufs("a b", 2 * TILE)),
            body=statements(body),
            autosync=autosync,
            reference=lambda x, z, s=shift: (
                np.concatenate(  # type: ignore[misc]
                    [x[:s], z[:TILE], z[s + TILE : 2 * TILE]]
                )
                + 1
            ),
        )


def overlapping_stores() -> Iterator[MarkedKernel]:
    """Two stores of which the second overwrites all, half or nothing of the first."""
    for shift, autosync in product((0, 32, 64), (True, False)):
        body = [
            "DataCopy(a, x, N);",
            "DataCopy(b, z, N);",
            flag("MTE2_V", 0, "in"),
            "Adds(c, a, 1.0f, N);",
            "Adds(d, b, 2.0f, N);",
            flag("V_MTE3", 0, "out"),
            "DataCopy(y, c, N);",
            barrier("MTE3"),
            f"DataCopy(y[{shift}], d, N);",
        ]
        yield MarkedKernel(
            name=f"stores_{shift}{_off(autosync)}",
            family="overlapping stores",
            declarations=tuple(tbufs("a b c d")),
            body=statements(body),
            autosync=autosync,
            reference=lambda x, z, s=shift: np.concatenate([x[:s] + 1, z[:TILE] + 2]),  # type: ignore[misc]
        )


def shifted_tail() -> Iterator[MarkedKernel]:
    """The last tile is moved back to be full: it stores some elements a second time, with the same values."""
    for shift, guarded in product((8, 32), (True, False)):
        body = [
            "DataCopy(a, x, N);",
            f"DataCopy(b, x[{shift}], N);",
            flag("MTE2_V", 0, "in"),
            "Mul(c, a, a, N);",
            "Mul(d, b, b, N);",
            flag("V_MTE3", 0, "out"),
            "DataCopy(y, c, N);",
            barrier("MTE3", when=guarded),
            f"DataCopy(y[{shift}], d, N);",
        ]
        yield MarkedKernel(
            name=f"tail_{shift}{'_guarded' if guarded else ''}",
            family="overlapping stores, same values",
            declarations=tuple(tbufs("a b c d")),
            body=statements(body),
            autosync=True,
            reference=lambda x, z, n=TILE + shift: x[:n] * x[:n],  # type: ignore[misc]
        )


def kernels() -> Iterator[MarkedKernel]:
    """All of this module."""
    yield from one_tile()
    yield from reused_buffers()
    yield from ping_pong()
    yield from stages()
    yield from through_global_memory()
    yield from overlapping_loads()
    yield from overlapping_stores()
    yield from shifted_tail()
