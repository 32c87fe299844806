"""Kernels whose instructions touch memory in other ways: pieces, tails, lanes, places that the data say, registers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from agentkernel.testing.hazard_proof.kernel import TILE, MarkedKernel, Reference, barrier, flag, statements, tbufs


def _kernel(
    name: str, body: list[str], reference: Reference, *, autosync: bool, more: tuple[str, ...] = ()
) -> MarkedKernel:
    return MarkedKernel(
        name=name if autosync else f"{name}_off",
        family="other forms",
        declarations=(*tbufs("a b c"), *more),
        body=statements(body),
        autosync=autosync,
        reference=reference,
    )


def kernels() -> Iterator[MarkedKernel]:
    """All of this module."""
    for autosync in (True, False):
        yield from _pieces(autosync)
        yield from _lanes(autosync)
        yield from _registers(autosync)
    yield from _one_of_two()


def _pieces(autosync: bool) -> Iterator[MarkedKernel]:
    """Interleaved and padded copies."""
    body = [
        "DataCopy(a, x, DataCopyParams(4, 1, 0, 1));",
        barrier("MTE2"),
        "DataCopy(a[8], z, DataCopyParams(4, 1, 0, 1));",
        flag("MTE2_V", 0, "in"),
        "Adds(b, a, 1.0f, N);",
        flag("V_MTE3", 0, "out"),
        "DataCopy(y, b, N);",
    ]
    yield _kernel(
        "interleaved",
        body,
        lambda x, z: np.stack([x[:32].reshape(4, 8), z[:32].reshape(4, 8)], 1).reshape(-1) + 1,
        autosync=autosync,
    )
    body = [
        "DataCopyPad(a, x, DataCopyExtParams(1, 20, 0, 0, 0), DataCopyPadExtParams<float>(true, 0, 3, 9.0f));",
        flag("MTE2_V", 0, "in"),
        "Adds(b, a, 1.0f, 8);",
        flag("V_MTE3", 0, "out"),
        "DataCopyPad(y, b, DataCopyExtParams(1, 20, 0, 0, 0));",
        barrier("MTE3"),
        "DataCopyPad(y[4], b[0], DataCopyExtParams(1, 12, 0, 0, 0));",
    ]
    yield _kernel("padded", body, lambda x, z: np.concatenate([x[:4] + 1, x[:3] + 1]), autosync=autosync)


def _lanes(autosync: bool) -> Iterator[MarkedKernel]:
    """Masks, strides, narrowing, and reads at places that the data say."""
    v = barrier("V", when=not autosync)
    body = [
        "DataCopy(a, x, N);",
        "DataCopy(b, z, N);",
        flag("MTE2_V", 0, "in"),
        "Add(c, a, b, 32, 1, {1, 1, 1, 8, 8, 8});",
        "Sub(c[32], a[32], b[32], 32, 1, {1, 1, 1, 8, 8, 8});",
        v,
        "Mul(b, c, a, 64, 1, {1, 1, 1, 8, 8, 8});",
        flag("V_MTE3", 0, "out"),
        "DataCopy(y, b, N);",
    ]
    yield _kernel(
        "level0",
        body,
        lambda x, z: (x[:TILE] + z[:TILE] * np.repeat([1, -1], 32)) * x[:TILE],
        autosync=autosync,
    )
    body = [
        "DataCopy(a, x, N);",
        flag("MTE2_V", 0, "in"),
        "Cast(h, a, RoundMode::CAST_RINT, N);",
        v,
        "Adds(h, h, (half)1.0, N);",
        v,
        "Cast(b, h, RoundMode::CAST_NONE, N);",
        flag("V_MTE3", 0, "out"),
        "DataCopy(y, b, N);",
    ]
    yield _kernel(
        "narrowed",
        body,
        lambda x, z: x[:TILE] + 1,
        autosync=autosync,
        more=("LocalTensor<half> h = buf_c.Get<half>();",),
    )
    body = [
        "DataCopy(a, x, N);",
        "CreateVecIndex(i, (int32_t)0, N);",
        v,
        "Muls(i, i, (int32_t)-4, N);",
        v,
        "Adds(i, i, (int32_t)(4 * (N - 1)), N);",
        v,
        flag("MTE2_V", 0, "in"),
        "Gather(b, a, i.ReinterpretCast<uint32_t>(), 0u, N);",
        v,
        "Duplicate(a, 3.0f, N);",
        v,
        "Mul(b, b, a, N);",
        flag("V_MTE3", 0, "out"),
        "DataCopy(y, b, N);",
    ]
    yield _kernel(
        "gathered",
        body,
        lambda x, z: x[:TILE][::-1] * 3,
        autosync=autosync,
        more=("LocalTensor<int32_t> i = buf_c.Get<int32_t>();",),
    )


def _registers(autosync: bool) -> Iterator[MarkedKernel]:
    """Results that reach the scalar program through registers or through a library's own scalar accesses."""
    v = barrier("V", when=not autosync)
    body = [
        "DataCopy(a, x, N);",
        flag("MTE2_V", 0, "in"),
        "ReduceMax(b, a, c, N, false);",
        "" if autosync else flag("V_S", 0, "value"),
        "float v = b.GetValue(0);",
        v,
        "Adds(c, a, v, N);",
        flag("V_MTE3", 0, "out"),
        "DataCopy(y, c, N);",
    ]
    yield _kernel("maximum", body, lambda x, z: x[:TILE] + x[TILE - 1], autosync=autosync)
    body = [
        "DataCopy(a, x, N);",
        flag("MTE2_V", 0, "in"),
        "WholeReduceSum(b, a, 64, 1, 1, 1, 8);",
        v,
        "Adds(b, b, 2.0f, 1);",
        flag("V_MTE3", 0, "out"),
        "DataCopyPad(y, b, DataCopyExtParams(1, 4, 0, 0, 0));",
    ]
    yield _kernel("whole_sum", body, lambda x, z: x[:TILE].sum(keepdims=True) + 2, autosync=autosync)


def _one_of_two() -> Iterator[MarkedKernel]:
    """The scalar program depends on one of two instructions; the other needs a flag of its own."""
    for first, autosync in product((True, False), (True, False)):
        body = [
            f"DataCopy({'a' if first else 'b'}, {'x' if first else 'z'}, N);",
            f"DataCopy({'b' if first else 'a'}, {'z' if first else 'x'}, N);",
            "" if autosync else flag("MTE2_S", 0, "value"),
            "float v = a.GetValue(0);",
            flag("MTE2_V", 0, "in"),
            "Adds(c, b, v, N);",
            flag("V_MTE3", 0, "out"),
            "DataCopy(y, c, N);",
        ]
        yield _kernel(
            f"get_{'first' if first else 'last'}_of_two", body, lambda x, z: z[:TILE] + x[0], autosync=autosync
        )
    body = [
        "DataCopy(a, x, N);",
        flag("MTE2_V", 0, "in"),
        "Adds(b, a, 1.0f, N);",
        "Adds(c, a, 2.0f, N);",
        "float v = b.GetValue(0);",
        flag("V_MTE3", 0, "out"),
        "DataCopy(y, c, N);",
        flag("MTE3_V", 0, "free"),
        "Adds(c, b, v, N);",
        flag("V_MTE3", 0, "last"),
        "DataCopy(y[64], c, N);",
    ]
    yield _kernel("get_between", body, lambda x, z: np.concatenate([x[:TILE] + 2, x[:TILE] + x[0] + 2]), autosync=True)
