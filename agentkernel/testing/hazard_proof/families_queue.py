"""Kernels on queues: copy in, compute, copy out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from agentkernel.testing.hazard_proof.kernel import (
    TILE,
    Floats,
    MarkedKernel,
    barrier,
    queue,
    statements,
)

_CHAINS = {
    "one": ("Adds(b, a, 1.0f, N);",),
    "two": ("Adds(b, a, 1.0f, N);", "Muls(b, b, 2.0f, N);"),
    "inplace": ("Muls(a, a, 2.0f, N);", "Adds(a, a, 3.0f, N);", "Mul(b, a, a, N);"),
}


def _chain(name: str, x: Floats) -> Floats:
    if name == "one":
        return x + 1
    return (x + 1) * 2 if name == "two" else (2 * x + 3) * (2 * x + 3)


def _compute(chain: str, autosync: bool) -> str:
    return (barrier("V", when=not autosync)).join(f"{operation}\n" for operation in _CHAINS[chain])


def _in_and_out(num: int, depth: int = 1) -> tuple[str, ...]:
    return (queue("qx", "VECIN", num, depth), queue("qy", "VECOUT", num), "LocalTensor<float> a, b;")


def simple() -> Iterator[MarkedKernel]:
    """One tile after the other through a VECIN and a VECOUT queue, straight-line or as a loop."""
    cases = [
        *product((1, 2), (1, 2), ("one", "two"), (True,), (False,)),
        *product((2, 3), (1, 2), ("two", "inplace"), (False,), (False,)),
        *product((2, 3), (1, 2), ("inplace",), (True, False), (True,)),
    ]
    for tiles, num, chain, autosync, loop in cases:
        body = []
        for t in range(1 if loop else tiles):
            at = "t * N" if loop else f"{t} * N"
            body.append(
                f"a = qx.AllocTensor<float>();  //~{f'f{t - 1}' if num == 1 and t else ''}\n"
                f"DataCopy(a, x[{at}], N);\n"
                f"qx.EnQue(a);  //~in{t}\n"
                f"a = qx.DeQue<float>();  //~in{t}\n"
                f"b = qy.AllocTensor<float>();  //~{f'g{t - 1}' if num == 1 and t else ''}\n"
                f"{_compute(chain, autosync)}"
                f"qx.FreeTensor(a);  //~{f'f{t}' if num == 1 and t < tiles - 1 and not loop else ''}\n"
                f"qy.EnQue(b);  //~out{t}\n"
                f"b = qy.DeQue<float>();  //~out{t}\n"
                f"DataCopy(y[{at}], b, N);\n"
                f"qy.FreeTensor(b);  //~{f'g{t}' if num == 1 and t < tiles - 1 and not loop else ''}\n"
            )
        if loop:
            body = [f"for (uint32_t t = 0; t < {tiles}; ++t) {{", *body, "}"]
        yield MarkedKernel(
            name=f"queue_{tiles}x{num}_{chain}{'_loop' if loop else ''}{'' if autosync else '_off'}",
            family="queues",
            declarations=_in_and_out(num),
            body=statements(body),
            autosync=autosync,
            reference=lambda x, z, n=tiles * TILE, chain=chain: _chain(chain, x[:n]),  # type: ignore[misc]
        )


def prefetching() -> Iterator[MarkedKernel]:
    """Double buffering by hand: the next tile is on its way while one is computed."""
    for tiles, autosync in product((2, 3), (True, False)):
        body = ["c = qx.AllocTensor<float>();  //~", "DataCopy(c, x, N);", "qx.EnQue(c);  //~"]
        for t in range(tiles):
            if t + 1 < tiles:
                body += ["c = qx.AllocTensor<float>();  //~", f"DataCopy(c, x[{t + 1} * N], N);", "qx.EnQue(c);  //~"]
            body.append(
                "a = qx.DeQue<float>();  //~\n"
                "b = qy.AllocTensor<float>();  //~\n"
                f"{_compute('two', autosync)}"
                "qx.FreeTensor(a);  //~\n"
                f"qy.EnQue(b);  //~out{t}\n"
                f"b = qy.DeQue<float>();  //~out{t}\n"
                f"DataCopy(y[{t} * N], b, N);\n"
                "qy.FreeTensor(b);  //~\n"
            )
        yield MarkedKernel(
            name=f"prefetch_{tiles}{'' if autosync else '_off'}",
            family="queues, prefetching",
            declarations=(*_in_and_out(2, depth=2), "LocalTensor<float> c;"),
            body=statements(body),
            autosync=autosync,
            reference=lambda x, z, n=tiles * TILE: (x[:n] + 1) * 2,  # type: ignore[misc]
        )


def two_inputs() -> Iterator[MarkedKernel]:
    """A queue for each of two inputs: y = (x + z) * x."""
    for tiles, num, autosync in product((1, 2), (1, 2), (True, False)):
        body = []
        for t in range(tiles):
            body.append(
                "a = qx.AllocTensor<float>();  //~\n"
                f"DataCopy(a, x[{t} * N], N);\n"
                f"qx.EnQue(a);  //~x{t}\n"
                "c = qz.AllocTensor<float>();  //~\n"
                f"DataCopy(c, z[{t} * N], N);\n"
                f"qz.EnQue(c);  //~z{t}\n"
                f"a = qx.DeQue<float>();  //~x{t}\n"
                f"c = qz.DeQue<float>();  //~z{t}\n"
                "b = qy.AllocTensor<float>();  //~\n"
                "Add(b, a, c, N);\n"
                f"{barrier('V', when=not autosync)}"
                "Mul(b, b, a, N);\n"
                "qx.FreeTensor(a);  //~\n"
                "qz.FreeTensor(c);  //~\n"
                f"qy.EnQue(b);  //~y{t}\n"
                f"b = qy.DeQue<float>();  //~y{t}\n"
                f"DataCopy(y[{t} * N], b, N);\n"
                "qy.FreeTensor(b);  //~\n"
            )
        yield MarkedKernel(
            name=f"two_inputs_{tiles}x{num}{'' if autosync else '_off'}",
            family="queues, two inputs",
            declarations=(*_in_and_out(num), queue("qz", "VECIN", num), "LocalTensor<float> c;"),
            body=statements(body),
            autosync=autosync,
            reference=lambda x, z, n=tiles * TILE: (x[:n] + z[:n]) * x[:n],  # type: ignore[misc]
        )


def bound() -> Iterator[MarkedKernel]:
    """Copies through a TQueBind: MTE2 to MTE3 with no vector instruction between."""
    for tiles, num in product((1, 2, 3), (1, 2)):
        body = [
            "a = q.AllocTensor<float>();  //~\n"
            f"DataCopy(a, x[{t} * N], N);\n"
            f"q.EnQue(a);  //~q{t}\n"
            f"a = q.DeQue<float>();  //~q{t}\n"
            f"DataCopy(y[{t} * N], a, N);\n"
            "q.FreeTensor(a);  //~\n"
            for t in range(tiles)
        ]
        yield MarkedKernel(
            name=f"bind_{tiles}x{num}",
            family="TQueBind",
            declarations=(
                f"TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> q; pipe.InitBuffer(q, {num}, {4 * TILE});",
                "LocalTensor<float> a;",
            ),
            body=statements(body),
            autosync=True,
            reference=lambda x, z, n=tiles * TILE: x[:n],  # type: ignore[misc]
        )


def in_place() -> Iterator[MarkedKernel]:
    """Queues of depth 0: the tensor stays the same, only the order is the queue's."""
    for tiles, autosync in product((1, 2), (True, False)):
        body = [
            "qx.AllocTensor<float>(a);  //~\n"
            f"DataCopy(a, x[{t} * N], N);\n"
            f"qx.EnQue(a);  //~x{t}\n"
            f"qx.DeQue<float>(a);  //~x{t}\n"
            "qy.AllocTensor<float>(b);  //~\n"
            f"{_compute('two', autosync)}"
            "qx.FreeTensor(a);  //~\n"
            f"qy.EnQue(b);  //~y{t}\n"
            f"qy.DeQue<float>(b);  //~y{t}\n"
            f"DataCopy(y[{t} * N], b, N);\n"
            "qy.FreeTensor(b);  //~\n"
            for t in range(tiles)
        ]
        yield MarkedKernel(
            name=f"depth0_{tiles}{'' if autosync else '_off'}",
            family="queues of depth 0",
            declarations=(
                queue("qx", "VECIN", 1, 0),
                queue("qy", "VECOUT", 1, 0),
                "LocalTensor<float> a, b;",
            ),
            body=statements(body),
            autosync=autosync,
            reference=lambda x, z, n=tiles * TILE: (x[:n] + 1) * 2,  # type: ignore[misc]
        )


def kernels() -> Iterator[MarkedKernel]:
    """All of this module."""
    yield from simple()
    yield from prefetching()
    yield from two_inputs()
    yield from bound()
    yield from in_place()
